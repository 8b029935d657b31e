// SPDX-License-Identifier: Apache-2.0
// Lessons tested, each in a process beside others.
//
// Theory of operation: a lesson is a task of a pool (base/pool.h), and the last
// task reads all of them for what is not as it should be. What a task prints, on
// standard output or error, goes to a file in memory, and comes back with its
// numbers as one text; it is shown in the order of the lessons.
#include "repl/lesson/lesson.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/progress.h"
#include "grade/command.h"
#include "lua/bind/state/bind.h"
#include "repl/lesson/player.h"
#include "repl/lesson/taught.h"
#include "repl/tui/tui.h"

struct testing {
  struct shop *s;
  const struct lesson_test *t;
  struct lesson_index index;
  int *lessons;   // places in `index`, a task each; behind them the reading
  int count;      // of lessons
  json_t **found; // what came of each task that is done
  int shown, done_count;
  struct progress progress;
  struct player_sum sum;
  int code;
};

// ---- In the processes ----

// From here on what is printed goes to the file that comes back; -1: there is
// none, and it is printed where it always is.
static int catch_output(int saved[2]) {
  int file = memfd_create("said", MFD_CLOEXEC);
  fflush(NULL);
  for (int fd = 1; file >= 0 && fd <= 2; fd++) {
    saved[fd - 1] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    dup2(file, fd);
  }
  return file;
}

static json_t *release_output(int file, const int saved[2]) {
  char *text = NULL;
  size_t bytes = 0;
  if (file < 0)
    return json_string("");
  fflush(NULL);
  for (int fd = 1; fd <= 2; fd++) {
    dup2(saved[fd - 1], fd);
    close(saved[fd - 1]);
  }
  off_t size = lseek(file, 0, SEEK_END);
  text = xcalloc((size_t)size + 1, 1);
  ssize_t got = pread(file, text, (size_t)size, 0);
  bytes = got > 0 ? (size_t)got : 0;
  close(file);
  json_t *said = json_stringn(text, bytes);
  free(text);
  return said ? said : json_string("(it printed bytes that are no UTF-8)\n");
}

static const char *name_of(const struct testing *r, int task) {
  const char *path = r->index.paths[r->lessons[task]];
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int check_taught(const struct testing *r) {
  int failed = 0;
  if (!r->t->count)
    return taught_check(&r->index, 0);
  for (int i = 0; i < r->count; i++)
    failed +=
        taught_check(&r->index, lesson_number_at(&r->index, r->lessons[i]));
  return failed;
}

static char *run_task(void *context, void *own, int task) {
  struct testing *r = context;
  struct player_sum sum = {0, 0};
  int saved[2], code = EXIT_PASSED;
  (void)own;
  int file = catch_output(saved);
  if (task == r->count)
    sum.failed = check_taught(r);
  else
    code = player_play_one(r->s, &r->index,
                           lesson_number_at(&r->index, r->lessons[task]), true,
                           &sum);
  json_t *said = release_output(file, saved);
  json_t *o = json_pack("{s:i, s:i, s:i, s:o}", "code", code, "cells",
                        sum.cells, "failed", sum.failed, "said", said);
  char *text = json_dumps(o, JSON_COMPACT);
  char *copy = xstrdup(text);
  free(text);
  json_decref(o);
  return copy;
}

// The device server of the last lesson goes with its Lua state.
static void end_work(void *context, void *own) {
  struct testing *r = context;
  (void)own;
  if (r->s->L)
    bind_close(r->s->L);
  r->s->L = NULL;
}

// ---- Showing ----

static int number_in(const json_t *o, const char *key) {
  return (int)json_integer_value(json_object_get(o, key));
}

static void show(struct testing *r, int task) {
  const json_t *o = r->found[task];
  int code = number_in(o, "code");
  r->sum.cells += number_in(o, "cells");
  r->sum.failed += number_in(o, "failed");
  r->code = code > r->code ? code : r->code;
  if (r->t->is_json)
    return;
  progress_hide();
  fputs(json_string_value(json_object_get(o, "said")), stderr);
  if (task < r->count && code == EXIT_PASSED)
    printf("%-32s %3d cells, %d failed\n", name_of(r, task),
           number_in(o, "cells"), number_in(o, "failed"));
  fflush(stdout);
}

static void take_answer(void *context, int task, const char *answer) {
  struct testing *r = context;
  json_t *o = answer ? json_loads(answer, 0, NULL) : NULL;
  if (!o)
    o = json_pack("{s:i, s:i, s:i, s:s}", "code", EXIT_PASSED, "cells", 0,
                  "failed", 1, "said", "the process that played it has died\n");
  r->found[task] = o;
  r->done_count++;
  while (r->shown <= r->count && r->found[r->shown])
    show(r, r->shown++);
  progress_step(&r->progress, r->done_count,
                r->shown < r->count ? name_of(r, r->shown) : NULL);
}

static void print_json(struct testing *r) {
  json_t *list = json_array();
  for (int i = 0; i < r->count; i++) {
    json_t *o = r->found[i];
    json_array_append_new(
        list, json_pack("{s:i, s:s, s:O, s:O, s:O}", "number",
                        lesson_number_at(&r->index, r->lessons[i]), "lesson",
                        name_of(r, i), "cells", json_object_get(o, "cells"),
                        "failed", json_object_get(o, "failed"), "said",
                        json_object_get(o, "said")));
  }
  const json_t *form = r->found[r->count];
  json_t *all = json_pack(
      "{s:s, s:o, s:i, s:i, s:{s:O, s:O}, s:b}", "schema", "warpshop.lessons/1",
      "lessons", list, "cells", r->sum.cells, "failed", r->sum.failed, "form",
      "failed", json_object_get(form, "failed"), "said",
      json_object_get(form, "said"), "holds", !r->sum.failed && !r->code);
  char *text = json_dumps(all, JSON_INDENT(2));
  puts(text);
  free(text);
  json_decref(all);
}

// ---- All of them ----

static bool is_asked(const struct lesson_test *t, int number) {
  bool is_one = !t->count;
  for (int i = 0; i < t->count && !is_one; i++)
    is_one = t->numbers[i] == number;
  return is_one;
}

static void find_lessons(struct testing *r) {
  r->lessons = xcalloc((size_t)r->index.count + 1, sizeof *r->lessons);
  for (int i = 0; i < r->index.count; i++)
    if (is_asked(r->t, lesson_number_at(&r->index, i)))
      r->lessons[r->count++] = i;
  r->found = xcalloc((size_t)r->count + 1, sizeof(json_t *));
}

static int run_all(struct testing *r) {
  struct err_info e;
  int jobs = r->t->jobs ? r->t->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
  struct pool_work w = {.jobs = jobs < 1    ? 1
                                : jobs > 64 ? 64
                                            : jobs,
                        .count = r->count + 1,
                        .context = r,
                        .run = run_task,
                        .end = end_work,
                        .done = take_answer};
  progress_begin(&r->progress, "", r->count + 1);
  enum err err = pool_run(&w, &e);
  progress_end(&r->progress);
  if (err) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  if (r->t->is_json)
    print_json(r);
  else if (!r->code)
    printf("%d cells run, %d failed\n", r->sum.cells, r->sum.failed);
  fflush(stdout);
  return r->code ? r->code : r->sum.failed ? EXIT_FAILED : EXIT_PASSED;
}

int lesson_test(struct shop *s, const struct lesson_test *t) {
  struct testing r = {.s = s, .t = t, .code = EXIT_PASSED};
  struct err_info e = {0};
  if (lesson_index_load(&r.index, &e)) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  find_lessons(&r);
  int code = EXIT_USAGE;
  int lost = 0;
  for (int i = 0; i < t->count && !lost; i++)
    lost = lesson_find(&r.index, t->numbers[i]) < 0 ? t->numbers[i] : 0;
  if (lost)
    shop_say("there is no lesson %d; there are %d", lost, r.index.count);
  else
    code = run_all(&r);
  for (int i = 0; i <= r.count; i++)
    json_decref(r.found[i]);
  free(r.found);
  free(r.lessons);
  lesson_index_free(&r.index);
  return code;
}
