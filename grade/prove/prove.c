// SPDX-License-Identifier: Apache-2.0
// warpshop exercise test / prove.
#include "grade/prove/prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/str.h"
#include "grade/command.h"
#include "grade/course/course.h"
#include "grade/input/input.h"
#include "grade/prove/proven.h"
#include "grade/prove/step.h"
#include "grade/verdict/verdict.h"

static const char synopsis[] =
    "warpshop exercise test [NAME...|COURSE] [--jobs N] [--json] [--device "
    "cuda:0]\n"
    "       warpshop exercise prove [NAME...] [--sample N] [--seed N] [--jobs "
    "N] "
    "[--json]\n"
    "       warpshop exercise prove NAME --mutant EDIT\n";

// What the command line says.
struct order {
  struct proven_options options;
  int jobs;
  bool is_json, gpu_if_any;
  const char *gpu;
  const char *mutant;
  char **names; // of exercises; borrowed, but for `all`
  int name_count;
  char **all;
  int all_count;
  char program[VERSION_HEX]; // of the options
};

// All exercises, and the tasks whose answers are not known.
struct run {
  const struct order *order;
  struct proven *list;
  int count, shown;
  struct pending {
    int exercise, answer;
  } * pending;
  int pending_count, done_count;
  struct progress progress;
  struct proven_counts sum;
  int broken;
  json_t *json;
};

static int usage(void) {
  fprintf(stderr, "usage: %s", synopsis);
  return EXIT_WRONG_USAGE;
}

// ---- The command line ----

// "--sample 40", "--sample=40": the text behind it; NULL: it is not that.
static const char *take_value(const char *name, int argc, char **argv, int *i) {
  size_t n = strlen(name);
  if (!strcmp(argv[*i], name) && *i + 1 < argc)
    return argv[++*i];
  return str_starts(argv[*i], name) && argv[*i][n] == '=' ? argv[*i] + n + 1
                                                          : NULL;
}

static bool take_number(const char *name, int argc, char **argv, int *i,
                        long *out, bool *is_wrong) {
  const char *text = take_value(name, argc, argv, i);
  char *end;
  if (!text)
    return false;
  *out = strtol(text, &end, 10);
  *is_wrong |= !*text || *end || *out < 0 || *out > 1000000000;
  return true;
}

static bool read_order(int argc, char **argv, struct order *o) {
  bool is_wrong = false;
  const char *text;
  for (int i = 1; i < argc; i++) {
    long n = 0;
    if (take_number("--jobs", argc, argv, &i, &n, &is_wrong))
      o->jobs = (int)n;
    else if (!strcmp(argv[i], "--json"))
      o->is_json = true;
    else if ((text = take_value("--device", argc, argv, &i)))
      o->gpu = text;
    else if (o->options.is_test && argv[i][0] == '-')
      return false;
    else if (take_number("--sample", argc, argv, &i, &n, &is_wrong))
      o->options.sample = (int)n;
    else if (take_number("--seed", argc, argv, &i, &n, &is_wrong))
      o->options.seed = (unsigned long)n;
    else if ((text = take_value("--mutant", argc, argv, &i)))
      o->mutant = text;
    else if (argv[i][0] == '-')
      return false;
    else
      o->names[o->name_count++] = argv[i];
  }
  return !is_wrong && (!o->mutant || o->name_count == 1);
}

// ---- In the processes ----

static void *begin_work(void *context) {
  const struct run *r = context;
  return work_new(r->order->gpu, r->order->gpu_if_any);
}

static char *run_task(void *context, void *own, int task) {
  const struct run *r = context;
  const struct pending *p = &r->pending[task];
  json_t *answer = work_run(own, &r->list[p->exercise].answers[p->answer].task);
  char *text = json_dumps(answer, JSON_COMPACT);
  json_decref(answer);
  char *copy = xstrdup(text);
  free(text);
  return copy;
}

static void end_work(void *context, void *own) {
  (void)context;
  work_free(own);
}

// ---- Showing ----

static void show_progress(struct run *r) {
  if (r->pending_count)
    progress_step(&r->progress, r->done_count, r->list[r->shown].name);
}

static void show_exercise(struct run *r, const struct proven *p) {
  struct proven_counts c;
  proven_count(p, &c);
  proven_add_counts(&r->sum, &c);
  r->sum.skipped += proven_is_skipped(p);
  r->broken += c.exit_code != 0;
  if (r->order->is_json) {
    json_array_append_new(r->json, proven_json(p));
    return;
  }
  char *text = proven_report(p);
  progress_hide();
  char *clean = text_clean(text, strlen(text), strlen(text) * 4 + 1, 1);
  fputs(clean, stdout);
  fflush(stdout);
  free(clean);
  free(text);
}

// In the order in which they were named.
static void show_whole(struct run *r) {
  for (; r->shown < r->count && !r->list[r->shown].waiting; r->shown++)
    show_exercise(r, &r->list[r->shown]);
}

static void take_answer(void *context, int task, const char *answer) {
  struct run *r = context;
  const struct pending *p = &r->pending[task];
  proven_answer(&r->list[p->exercise], p->answer, answer);
  r->done_count++;
  show_whole(r);
  if (r->shown < r->count)
    show_progress(r);
}

static void show_total(const struct run *r) {
  if (r->order->is_json) {
    json_t *o = json_pack(
        "{s:s, s:O, s:f, s:i, s:b}", "schema",
        r->order->options.is_test ? "warpshop.test/1" : "warpshop.prove/1",
        "exercises", r->json, "score", proven_score(&r->sum), "skipped",
        r->sum.skipped, "holds", !r->sum.exit_code);
    char *text = json_dumps(o, JSON_INDENT(2));
    puts(text);
    free(text);
    json_decref(o);
  } else if (!r->order->options.is_test) {
    char *text = proven_report_total(&r->sum, r->count, r->broken);
    fputs(text, stdout);
    free(text);
  }
}

// ---- All of them ----

static void list_pending(struct run *r) {
  size_t room = 1;
  for (int k = 0; k < r->count; k++)
    room += (size_t)r->list[k].count;
  r->pending = xcalloc(room, sizeof *r->pending);
  for (int k = 0; k < r->count; k++)
    for (int i = 0; i < r->list[k].count; i++)
      if (!r->list[k].answers[i].answer)
        r->pending[r->pending_count++] = (struct pending){k, i};
}

static int run_all(const struct order *o) {
  struct run r = {.order = o, .json = json_array()};
  char **names = o->name_count ? o->names : o->all;
  struct err_info e;
  r.count = o->name_count ? o->name_count : o->all_count;
  r.list = xcalloc((size_t)r.count + 1, sizeof *r.list);
  for (int k = 0; k < r.count; k++) {
    proven_open(names[k], &o->options, &r.list[k]);
    proven_recall(&r.list[k]);
  }
  list_pending(&r);
  show_whole(&r);
  struct pool_work w = {o->jobs,  r.pending_count, &r,         begin_work,
                        run_task, end_work,        take_answer};
  progress_begin(&r.progress, "", r.pending_count);
  enum err err = pool_run(&w, &e);
  progress_end(&r.progress);
  int code = err ? command_say(EXIT_NO_MACHINE, e.text) : 0;
  if (!code)
    show_total(&r);
  for (int k = 0; k < r.count; k++)
    proven_close(&r.list[k]);
  free(r.list);
  free(r.pending);
  json_decref(r.json);
  bool is_all_skipped = r.count && r.sum.skipped == r.count;
  return code              ? code
         : r.sum.exit_code ? r.sum.exit_code
         : is_all_skipped  ? EXIT_NO_MACHINE
                           : 0;
}

// ---- One edit ----

static void print_line(const char *sign, const char *text, int line) {
  while (--line > 0 && *text)
    text += strcspn(text, "\n"), text += *text != 0;
  printf("%s %.*s\n", sign, (int)strcspn(text, "\n"), text);
}

static int show_edit(struct exercise *ex, const struct edit *edit) {
  struct judge_options q = {0};
  struct judge *j;
  struct err_info e;
  if (judge_open(&q, &j, &e))
    return command_say(EXIT_NO_MACHINE, e.text);
  char *text = edit_text(ex->written, edit);
  printf("%s  %s\n", ex->name, edit->id);
  print_line("-", ex->written, edit->line);
  print_line("+", text, edit->line);
  struct verdict *v = step_judge(j, ex, text);
  char *report = page_make(v, text);
  fputs(report, stdout);
  int code = v->verdict == VERDICT_ERROR ? EXIT_NO_MACHINE : 0;
  free(report);
  verdict_free(v);
  free(text);
  judge_close(j);
  return code;
}

static int run_mutant(const struct order *o) {
  struct exercise *ex;
  struct edits edits;
  struct err_info e;
  int code = -1;
  if (exercise_load(o->names[0], &ex, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  if (!*ex->written) {
    exercise_free(ex);
    return command_say(EXIT_WRONG_USAGE,
                       "a learner's copy has no solution to prove");
  }
  if (edits_make(ex, &edits, &e))
    code = command_say(EXIT_WRONG_USAGE, e.text);
  for (int i = 0; i < edits.count && code < 0; i++)
    if (!strcmp(edits.list[i].id, o->mutant))
      code = show_edit(ex, &edits.list[i]);
  if (code < 0) {
    fprintf(stderr, "warpshop: %s has no edit \"%s\"; those that it has:\n",
            ex->name, o->mutant);
    for (int i = 0; i < edits.count; i++)
      fprintf(stderr, "  %s\n", edits.list[i].id);
    code = EXIT_WRONG_USAGE;
  }
  edits_free(&edits);
  exercise_free(ex);
  return code;
}

// ---- The commands ----

static void say_wrong(void *context, const char *text) {
  (void)context;
  command_say(0, text);
}

// All exercises of the course in use, or of the one that the only name is the
// folder of; *code says whether its index lists what is there. False: it cannot
// be read.
static bool take_course(struct order *o, int *code) {
  struct course *c = NULL;
  struct err_info e = {0};
  enum err err = o->name_count ? course_use(o->names[0], &e) : ERR_OK;
  o->name_count = 0;
  if (!err)
    err = course_in_use(&c, &e);
  if (!err)
    err = course_index(c, "exercises", &o->all, &o->all_count, &e);
  if (err)
    *code = command_say(
        err == ERR_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_NO_MACHINE, e.text);
  else
    *code =
        course_check(c, "exercises", say_wrong, NULL) ? EXIT_WRONG_USAGE : 0;
  course_free(c);
  return !err;
}

static int run_order(struct order *o) {
  struct err_info e;
  if (command_check_limits(&e))
    return command_say(EXIT_NO_MACHINE, e.text);
  if (o->mutant)
    return run_mutant(o);
  bool is_course = o->name_count == 1 && course_is_folder(o->names[0]);
  int listed = 0;
  if ((is_course || !o->name_count) && !take_course(o, &listed))
    return listed;
  if (!o->options.is_test) {
    version_of_program(o->program);
    o->options.program = o->program;
  }
  int code = run_all(o);
  file_names_free(o->all, o->all_count);
  return code > listed ? code : listed;
}

int prove_main(int argc, char **argv) {
  struct order o = {
      .options = {.is_test = !strcmp(argv[0], "test"), .seed = 1},
      .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
      .gpu = getenv("WARPSHOP_DEVICE"),
      .names = xcalloc((size_t)argc + 1, sizeof(char *)),
  };
  int code = EXIT_WRONG_USAGE;
  if (read_order(argc, argv, &o)) {
    o.gpu_if_any = !o.gpu;
    if (!o.gpu)
      o.gpu = "cuda:0";
    code = run_order(&o);
  } else {
    usage();
  }
  free(o.names);
  return code;
}
