// SPDX-License-Identifier: Apache-2.0
// warpshop exercism SLUG IN OUT: what Exercism calls a test runner. It ends with
// 0 whatever the tests say, and is killed after 20 s of wall time.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/command.h"
#include "grade/judge/judge.h"
#include "grade/report/report.h"
#include "grade/subcommand/subcommand.h"

static const double usual_seconds =
    18; // of 20: the rest is for starting, writing

static const char synopsis[] =
    "usage: warpshop exercism SLUG INPUT-DIR OUTPUT-DIR [--seconds S]\n";
static const char help[] = "Judges the answer in INPUT-DIR (SLUG.cu or .lua, "
                           "the same with _ for -, or "
                           "the\nonly such file) and writes "
                           "OUTPUT-DIR/results.json, version 3. What is "
                           "not judged\nafter 18 s is said so there.\n\n"
                           "Exit status: 0 it was judged, 2 wrong usage, 3 "
                           "this machine cannot judge.\n";

struct running {
  const char *slug, *in, *out;
  double seconds, end_s; // of clock_s
};

static bool is_over(void *context) {
  const struct running *r = context;
  return clock_s() >= r->end_s;
}

// ---- The answer's file ----

static bool is_in(char **names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

static char *only_one(char **names, int count, const char *ending) {
  const char *found = NULL;
  for (int i = 0; i < count; i++) {
    if (!str_ends(names[i], ending))
      continue;
    if (found)
      return NULL;
    found = names[i];
  }
  return found ? xstrdup(found) : NULL;
}

// NULL: there is none, or nobody knows which.
static char *find_answer(const struct running *r, const char *ending) {
  int count;
  char **names = file_names(r->in, &count);
  char *hyphens = xasprintf("%s%s", r->slug, ending);
  char *found = xstrdup(hyphens);
  for (char *p = found; *p; p++)
    *p = *p == '-' ? '_' : *p;
  if (is_in(names, count, hyphens)) {
    free(found);
    found = xstrdup(hyphens);
  } else if (!is_in(names, count, found)) {
    free(found);
    found = only_one(names, count, ending);
  }
  free(hyphens);
  file_names_free(names, count);
  return found;
}

// ---- Judging ----

static int write_results(const struct running *r, char *text) {
  struct err_info e;
  char *path = xasprintf("%s/results.json", r->out);
  enum err err = file_write(path, text, strlen(text), 0644, &e);
  free(text);
  free(path);
  return err ? command_say(EXIT_NO_MACHINE, e.text) : 0;
}

// Nothing was judged, and that is said there, too.
static int fail(const struct running *r, int code, const char *why) {
  json_t *o = json_pack("{s:i,s:s,s:o,s:[]}", "version", 3, "status", "error",
                        "message", verdict_json_text(why), "tests");
  char *text = json_dumps(o, JSON_INDENT(2));
  json_decref(o);
  int failed = write_results(r, text);
  return failed ? failed : code ? command_say(code, why) : 0;
}

static int report(const struct running *r, struct verdict *v) {
  json_t *o = verdict_json(v);
  int code = v->verdict == VERDICT_ERROR ? verdict_exit_code(v) : 0;
  char *late = NULL;
  if (code && is_over((void *)r))
    late =
        xasprintf("this was not judged within %g s. It takes too long, or the "
                  "machine was busy: try it again",
                  r->seconds);
  int failed =
      late ? fail(r, 0, late) : write_results(r, report_exercism(&o, 1));
  json_decref(o);
  code = late ? 0 : code;
  free(late);
  return failed ? failed : code;
}

static int judge(const struct running *r, struct exercise *ex, int folder,
                 const char *name) {
  struct judge_options q = {.is_cancelled = is_over, .context = (void *)r};
  struct source source;
  struct err_info e;
  struct judge *j;
  char *refused = NULL;
  enum err err = source_read_beneath(folder, name, &source, &refused, &e);
  if (err)
    return fail(r, 0, e.text);
  err = command_check_limits(&e);
  err = err ? err : judge_open(&q, &j, &e);
  int code;
  if (err) {
    code = fail(r, EXIT_NO_MACHINE, e.text);
  } else {
    struct verdict *v = judge_run(j, ex, &source, refused);
    code = report(r, v);
    verdict_free(v);
    judge_close(j);
  }
  free(refused);
  source_free(&source);
  return code;
}

static int run(const struct running *r) {
  struct exercise *ex;
  struct err_info e;
  int folder = open(r->in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    char *why = xasprintf("there is no folder %s that can be read", r->in);
    int code = command_say(EXIT_WRONG_USAGE, why);
    free(why);
    return code;
  }
  if (exercise_load(r->slug, &ex, &e)) {
    close(folder);
    return fail(r, EXIT_WRONG_USAGE, e.text);
  }
  const char *ending = exercise_extension(ex->kind);
  char *name = find_answer(r, ending);
  char *why = xasprintf("there is no file %s%s", r->slug, ending);
  int code = name ? judge(r, ex, folder, name) : fail(r, 0, why);
  free(why);
  free(name);
  close(folder);
  exercise_free(ex);
  return code;
}

int exercism_main(int argc, char **argv) {
  struct running r = {.seconds = usual_seconds};
  const char **names[] = {&r.slug, &r.in, &r.out};
  int count = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      printf("%s\n%s", synopsis, help);
      return 0;
    }
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
      r.seconds = strtod(argv[++i], NULL);
    else if (argv[i][0] == '-' || count == 3)
      count = 4;
    else
      *names[count++] = argv[i];
  }
  if (count != 3 || !(r.seconds > 0)) {
    fputs(synopsis, stderr);
    return EXIT_WRONG_USAGE;
  }
  r.end_s = clock_s() + r.seconds;
  return run(&r);
}
