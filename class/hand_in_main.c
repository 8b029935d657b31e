// SPDX-License-Identifier: Apache-2.0
// warpshop class submit, receipts, collect, verify: hand-ins.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"
#include "class/board.h"
#include "class/class.h"
#include "class/class_main.h"
#include "class/collect.h"
#include "class/submit.h"
#include "grade/command.h"
#include "grade/exercise/exercise.h"
#include "grade/input/input.h"

// ---- submit ----

// The bytes of a file that can be handed in.
static enum err read_own(const char *path, char **text, size_t *bytes,
                         struct err_info *e) {
  struct source s;
  char *refused = NULL;
  int fd;
  enum err err = open_named(path, &fd, e);
  if (err)
    return err;
  err = file_read_open(fd, path, SOURCE_MAX_BYTES, text, bytes, e);
  close(fd);
  if (err)
    return err;
  source_from_text(path, *text, *bytes, &s, &refused);
  if (refused) {
    err = err_set(e, ERR_ARGUMENT, "%s: %s", path, refused);
    free(*text);
    *text = NULL;
  }
  free(refused);
  source_free(&s);
  return err;
}

// "vector-add" of "work/vector-add.cu"; to be freed.
static char *exercise_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return dot ? xstrndup(name, (size_t)(dot - name)) : xstrdup(name);
}

static enum err hand_in(const char *path, const char *exercise,
                        const struct room_seat *seat, struct submitted *out,
                        struct err_info *e) {
  struct exercise *ex;
  enum err err = exercise_load(exercise, &ex, e);
  if (err)
    return err;
  struct submit q = {.folder = seat->folder,
                     .exercise = ex->name,
                     .kind = exercise_extension(ex->kind)};
  char *text = NULL;
  err = str_ends(path, q.kind)
            ? read_own(path, &text, &q.bytes, e)
            : err_set(e, ERR_ARGUMENT, "%s: the exercise %s takes a %s file",
                      path, ex->name, q.kind);
  q.text = text;
  if (!err)
    err = submit_source(&q, out, e);
  free(text);
  exercise_free(ex);
  return err;
}

int class_submit(int argc, char **argv) {
  struct room_seat seat;
  struct submitted one;
  struct err_info e;
  if (argc != 2 && argc != 3)
    return class_usage("class submit takes FILE and perhaps EXERCISE");
  enum err err = room_seat_load(&seat, &e);
  if (err)
    return class_say_error(err, &e);
  char *exercise = argc == 3 ? xstrdup(argv[2]) : exercise_of(argv[1]);
  err = hand_in(argv[1], exercise, &seat, &one, &e);
  free(exercise);
  struct str out = STR_INIT;
  if (!err)
    receipts_add_submitted(seat.room, &one, &out);
  room_seat_free(&seat);
  if (err)
    return class_say_error(err, &e);
  fputs(out.data, stdout);
  str_free(&out);
  char *file = receipt_file(&one.name);
  int code = class_tell(EVENT_SUBMIT, one.name.exercise, file, one.hash);
  free(file);
  return code;
}

// ---- receipts, verify ----

int class_receipts(int argc, char **argv) {
  struct room_seat seat;
  struct err_info e;
  struct str out = STR_INIT;
  (void)argv;
  if (argc > 1)
    return class_usage("class receipts takes nothing");
  enum err err = room_seat_load(&seat, &e);
  if (!err) {
    err = receipts_add(&seat, &out, &e);
    room_seat_free(&seat);
  }
  fputs(out.data, stdout);
  str_free(&out);
  return err ? class_say_error(err, &e) : 0;
}

static json_t *read_receipt(const char *path, struct err_info *e) {
  char *text;
  size_t bytes;
  if (file_read(path, 1 << 16, &text, &bytes, e))
    return NULL;
  json_t *o = json_loads(text, 0, NULL);
  free(text);
  if (!o)
    err_set(e, ERR_ARGUMENT, "%s: it is no receipt", path);
  return o;
}

int class_verify(int argc, char **argv) {
  struct err_info e;
  int code;
  if (argc != 3)
    return class_usage("class verify takes DIR and a receipt's file");
  struct room *r = class_open_room(argv[1], &code);
  if (!r)
    return code;
  json_t *o = read_receipt(argv[2], &e);
  char *text = o ? receipt_text(r, o) : NULL;
  if (!o) {
    code = class_say_error(e.code, &e);
  } else if (receipt_is_signed(r, o)) {
    printf("Signed by the instructors of %s:\n%s", r->name,
           strchr(text, '\n') + 1);
  } else {
    printf("Not signed by the instructors of %s.\n", r->name);
    code = 1;
  }
  free(text);
  json_decref(o);
  room_close(r);
  return code;
}

// ---- collect ----

static void say_odd(void *context, const char *text) {
  int *odd = context;
  printf("  ~ %s\n", text);
  ++*odd;
}

static void say_wait(void) {
  command_say(0, "another collection is at work in this room; waiting for it");
}

int class_collect(int argc, char **argv) {
  struct err_info e;
  int code, odd = 0;
  if (argc != 3)
    return class_usage("class collect takes DIR and the folder INTO");
  struct room *r = class_open_room(argv[1], &code);
  if (!r)
    return code;
  struct collect c = {.room = r,
                      .into = argv[2],
                      .odd = say_odd,
                      .wait = say_wait,
                      .context = &odd};
  struct board b = {.room = r, .odd = say_odd, .context = &odd};
  enum err err = collect_hand_ins(&c, &e);
  if (!err)
    err = board_refresh(&b, &e);
  if (err)
    code = class_say_error(err, &e);
  else
    printf("%s: %d new hand-in%s of %d learner%s, %d known, %d odd.\n"
           "warpshop grade --from %s judges the newest of each.\n",
           r->name, c.fresh, c.fresh == 1 ? "" : "s", c.learners,
           c.learners == 1 ? "" : "s", c.known, odd, argv[2]);
  room_close(r);
  return code;
}
