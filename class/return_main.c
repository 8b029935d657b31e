// SPDX-License-Identifier: Apache-2.0
// warpshop class hint, marks: what comes back to learners.
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "class/book/book.h"
#include "class/class_main.h"
#include "class/return.h"
#include "grade/command.h"
#include "grade/input/input.h"

// ---- hint ----

struct search {
  uid_t uid;
  bool is_there;
};

static void look(void *context, const char *name, uid_t uid) {
  struct search *s = context;
  (void)name;
  s->is_there |= uid == s->uid;
}

enum err class_find_learner(const struct room *r, const char *name, uid_t *out,
                            struct err_info *e) {
  const struct passwd *p = getpwnam(name);
  char *end;
  unsigned long number = strtoul(name, &end, 10);
  struct search s = {.uid = p ? p->pw_uid : (uid_t)number};
  struct room_walk walk = {.learner = look, .context = &s};
  enum err err = p || (*name && !*end) ? room_walk(r, &walk, e) : ERR_OK;
  if (!err && !s.is_there)
    err = err_set(e, ERR_NOT_FOUND,
                  "%.60s is no learner in %s: warpshop class watch %s names "
                  "them",
                  name, r->name, r->folder);
  *out = s.uid;
  return err;
}

enum err class_send_hint(const struct room *r, uid_t uid, const char *text,
                         struct err_info *e) {
  char *clean = text_clean(text, strlen(text), 1000, 0);
  json_t *body =
      json_pack("{s:s,s:I}", "text", clean, "ms", (json_int_t)clock_day_ms());
  enum err err = return_append(r, uid, "hint", body, e);
  json_decref(body);
  free(clean);
  return err;
}

static int give_hint(const struct room *r, const char *name, const char *text) {
  struct err_info e;
  uid_t uid;
  enum err err = class_find_learner(r, name, &uid, &e);
  if (!err)
    err = class_send_hint(r, uid, text, &e);
  if (err)
    return class_say_error(err, &e);
  printf("Told to %s alone, before the next line at the prompt.\n", name);
  return 0;
}

int class_hint(int argc, char **argv) {
  int code;
  if (argc < 4)
    return class_usage("class hint takes DIR, LEARNER and the hint");
  struct room *r = class_open_room(argv[1], &code);
  if (!r)
    return code;
  char *text = class_join_words(argc, argv, 3);
  code = give_hint(r, argv[2], text);
  free(text);
  room_close(r);
  return code;
}

// ---- marks ----

static void print_clean(const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 0);
  fputs(clean, stdout);
  free(clean);
}

static const char *text_of(const json_t *body, const char *key) {
  const char *text = json_string_value(json_object_get(body, key));
  return text ? text : "";
}

// On a line of its own, below the mark.
static void print_said(const char *text) {
  if (!*text)
    return;
  printf("\n                  ");
  print_clean(text);
}

static void print_mark(const json_t *body) {
  const json_t *mark = json_object_get(body, "mark");
  const json_t *of = json_object_get(body, "of");
  print_clean(text_of(body, "exercise"));
  if (json_is_number(mark))
    printf(": %g", json_number_value(mark));
  else
    printf(": no mark");
  if (json_is_number(of))
    printf(" of %g", json_number_value(of));
  print_said(text_of(body, "note"));
  print_said(text_of(body, "comment"));
}

// How it came about, where that was asked for.
static void print_steps(const json_t *body) {
  const json_t *line;
  size_t i;
  json_array_foreach(json_object_get(body, "explain"), i, line) {
    const char *text = json_string_value(line);
    printf("\n    ");
    print_clean(text ? text : "");
  }
}

static void print_due(const json_t *body) {
  struct str text = STR_INIT;
  str_addf(&text, "%s: ", text_of(body, "exercise"));
  book_describe_due(body, &text);
  print_clean(text.data);
  str_free(&text);
}

struct printing {
  const char *exercise; // of which alone marks are asked for; NULL: everything
  int count;
};

static void print_item(void *context, const struct return_item *item) {
  struct printing *p = context;
  char when[32] = "";
  time_t at = (time_t)(item->time_ms / 1000);
  struct tm t;
  bool is_mark = !strcmp(item->kind, "mark");
  bool is_due = !strcmp(item->kind, "due");
  if (!is_mark && !is_due && strcmp(item->kind, "hint"))
    return;
  if (p->exercise &&
      ((!is_mark && !is_due) ||
       strcmp(text_of(item->body, "exercise"), p->exercise) != 0))
    return;
  if (localtime_r(&at, &t))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", &t);
  printf("%s  ", when);
  if (is_mark) {
    print_mark(item->body);
    if (p->exercise)
      print_steps(item->body);
  } else if (is_due) {
    print_due(item->body);
  } else {
    printf("hint: ");
    print_clean(text_of(item->body, "text"));
  }
  putchar('\n');
  p->count++;
}

int class_marks(int argc, char **argv) {
  struct err_info e;
  int64_t end;
  int code;
  struct printing p = {.exercise = argc > 1 ? argv[1] : NULL};
  if (argc > 2)
    return class_usage("class marks takes one EXERCISE");
  struct room *r = class_open_room(NULL, &code);
  if (!r)
    return code;
  enum err err = return_read(r, 0, &end, print_item, &p, &e);
  if (err)
    code = class_say_error(err, &e);
  else if (!p.count)
    printf("Nothing has come back yet in %s.\n", r->name);
  room_close(r);
  return code;
}
