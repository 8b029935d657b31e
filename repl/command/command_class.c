// SPDX-License-Identifier: Apache-2.0
// The room of a class, from the prompt: :ask, :submit, :receipts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text/text.h"
#include "class/class.h"
#include "grade/check/check.h"
#include "repl/command/command.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

static bool has_seat(struct shop *s) {
  if (seat_is_taken(s))
    return true;
  shop_warn(s, "You are in no room, so nobody would hear it. Your instructor "
               "says which folder it is: warpshop class join DIR enters it.");
  return false;
}

static bool report(struct shop *s, const struct err_info *e) {
  shop_warn(s, "%s", e->text);
  return false;
}

bool command_ask(struct shop *s, const char *args_text) {
  char where[120] = "";
  if (!has_seat(s))
    return false;
  if (!*args_text) {
    shop_warn(s, ":ask takes your question, in one line");
    return false;
  }
  if (*s->exercise)
    snprintf(where, sizeof where, "%s", s->exercise);
  else if (s->lesson)
    snprintf(where, sizeof where, "%s, page %d", s->lesson->name, s->page + 1);
  seat_tell(s, EVENT_ASK, where, args_text, "");
  shop_print(s, "Asked. Your instructors see it with where you are.");
  return true;
}

// ---- Handing in ----

static void show(struct shop *s, struct str *text) {
  while (text->len && text->data[text->len - 1] == '\n')
    text->data[--text->len] = 0;
  shop_print(s, "%s", text->data);
  str_free(text);
}

static bool submit_attempt(struct shop *s, const char *exercise,
                           const struct attempt *a) {
  struct check_about about;
  struct room_seat seat;
  struct submitted one;
  struct str out = STR_INIT, said = STR_INIT;
  struct err_info e;
  if (check_about(exercise, &about, &e))
    return report(s, &e);
  struct submit q = {.exercise = exercise,
                     .kind = about.extension,
                     .text = a->text,
                     .bytes = strlen(a->text)};
  check_about_free(&about);
  enum err err = room_seat_load(&seat, &e);
  q.folder = seat.folder;
  if (!err)
    err = submit_source(&q, &one, &e);
  if (!err)
    receipts_add_submitted(seat.room, &one, &said);
  room_seat_free(&seat);
  if (err)
    return report(s, &e);
  char *file = receipt_file(&one.name);
  seat_tell(s, EVENT_SUBMIT, exercise, file, one.hash);
  free(file);
  str_addf(&out, message("Judged as: %s, %s points.\n"), a->verdict, a->score);
  str_add(&out, said.data);
  str_free(&said);
  show(s, &out);
  return true;
}

bool command_submit(struct shop *s, const char *args_text) {
  const char *exercise = *args_text ? args_text : s->exercise;
  struct attempts all = {0};
  if (!has_seat(s))
    return false;
  if (!*exercise) {
    shop_warn(s, "No exercise is open: name one, such as :submit vector-add");
    return false;
  }
  if (receipt_is_exercise(exercise))
    attempts_read(NULL, exercise, &all);
  bool fine =
      all.count && submit_attempt(s, exercise, &all.list[all.count - 1]);
  if (!all.count)
    shop_warn(s,
              "Nothing of %.60s was judged yet: :check it first. A file is "
              "handed in by: warpshop class submit FILE",
              exercise);
  attempts_free(&all);
  return fine;
}

bool command_receipts(struct shop *s, const char *args_text) {
  struct room_seat seat;
  struct str out = STR_INIT;
  struct err_info e;
  (void)args_text;
  if (!has_seat(s))
    return false;
  enum err err = room_seat_load(&seat, &e);
  if (!err) {
    err = receipts_add(&seat, &out, &e);
    room_seat_free(&seat);
  }
  if (err) {
    str_free(&out);
    return report(s, &e);
  }
  show(s, &out);
  return true;
}
