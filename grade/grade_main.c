// SPDX-License-Identifier: Apache-2.0
// warpshop grade EXERCISE FILE... : one verdict a file.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "grade/command.h"
#include "grade/efficiency.h"
#include "grade/input/text.h"
#include "grade/judge.h"
#include "grade/limits.h"
#include "grade/report.h"

static const char synopsis[] =
    "warpshop grade EXERCISE FILE... [--json] [--junit FILE]\n"
    "               [--results-json FILE] [--learner NAME] [--course NAME]\n"
    "               [--secret FILE] [--device cuda:0]\n";

struct grading {
  bool wants_json, wants_help;
  const char *junit, *results_json, *device, *secret;
  const char *course, *learner;
  struct exercise *ex;
  struct judge *judge;
  int count;
  struct verdict **verdicts;
};

static const char help[] =
    "Judges each file as an answer to the exercise. FILE - is standard "
    "input.\n\n"
    "  --json               the verdicts as JSON, and nothing else\n"
    "  --junit FILE         them as JUnit XML, too\n"
    "  --results-json FILE  as Gradescope's results.json, too (one file)\n"
    "  --learner NAME, --course NAME\n"
    "                       whose work it is: part of what inputs are drawn "
    "from\n"
    "  --secret FILE        the course's secret, which they are drawn from\n"
    "  --device cuda:0      runs and times on that GPU, too\n\n"
    "Exit status: 0 all passed, 1 one did not, 2 wrong usage or a file that\n"
    "cannot be read, 3 this machine cannot judge. warpshop exercise list "
    "names\n"
    "the exercises; docs/verdict.md describes the JSON.\n";

enum { EXIT_WRONG_USAGE = 2, EXIT_NO_MACHINE = 3 };

static int say(int code, const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 1);
  fprintf(stderr, "warpshop: %s\n", clean);
  free(clean);
  return code;
}

static int usage(const char *text) {
  fprintf(stderr, "warpshop: %s\nusage: %s", text, synopsis);
  return EXIT_WRONG_USAGE;
}

// ---- One file ----

static struct verdict *grade_file(struct grading *g, const char *path,
                                  char **text) {
  struct source s;
  struct err_info e;
  char *refused = NULL;
  *text = NULL;
  if (source_read(path, &s, &refused, &e)) {
    char *name = source_show_name(path);
    char *why = text_clean(e.text, strlen(e.text), 1000, 0);
    struct verdict *v = verdict_new(g->ex->name, name, "virtual:0");
    verdict_set_error(v, BLAME_USAGE, e.code, why);
    verdict_finish(v, g->ex->points, efficiency_points(g->ex));
    free(name);
    free(why);
    return v;
  }
  struct verdict *v = judge_run(g->judge, g->ex, &s, refused);
  *text = xstrdup(s.text);
  free(refused);
  source_free(&s);
  return v;
}

static void grade_all(struct grading *g, char **paths) {
  g->verdicts = xcalloc((size_t)g->count, sizeof *g->verdicts);
  size_t width = 0;
  for (int i = 0; i < g->count; i++) {
    char *name = source_show_name(paths[i]);
    width = strlen(name) > width ? strlen(name) : width;
    free(name);
  }
  for (int i = 0; i < g->count; i++) {
    char *text;
    struct verdict *v = g->verdicts[i] = grade_file(g, paths[i], &text);
    char *shown = g->wants_json   ? NULL
                  : g->count == 1 ? report_text(v, text)
                                  : report_line(v, (int)width);
    if (shown)
      printf("%s%s", shown, g->count == 1 ? "" : "\n");
    fflush(stdout);
    free(shown);
    free(text);
  }
}

// ---- Results ----

static int write_report(const char *path, char *text) {
  struct err_info e;
  enum err err = file_write(path, text, strlen(text), 0600, &e);
  free(text);
  return err ? say(EXIT_NO_MACHINE, e.text) : 0;
}

static int worst_exit_code(const struct grading *g) {
  int worst = 0;
  for (int i = 0; i < g->count; i++) {
    int code = verdict_exit_code(g->verdicts[i]);
    worst = code > worst ? code : worst;
  }
  return worst;
}

static int report_all(struct grading *g) {
  int code = worst_exit_code(g), failed = 0, passes = 0;
  for (int i = 0; i < g->count; i++)
    passes += g->verdicts[i]->verdict == VERDICT_PASS;
  if (g->wants_json) {
    char *text = report_json(g->verdicts, g->count);
    fputs(text, stdout);
    free(text);
  } else if (g->count > 1) {
    printf("%d submissions · %d pass\n", g->count, passes);
  }
  if (g->junit)
    failed |= write_report(g->junit, report_junit(g->verdicts, g->count));
  if (g->results_json)
    failed |=
        write_report(g->results_json, report_results_json(g->verdicts[0]));
  if (fflush(stdout) || ferror(stdout))
    failed = say(EXIT_NO_MACHINE, "the results could not be written");
  return failed ? failed : code;
}

// ---- The command ----

// What getopt() stopped at: an option that there is not, or one without its value.
static int refuse_option(const struct option *options, const char *given,
                         bool lacks_value) {
  char text[160];
  size_t n = strcspn(given, "=");
  if (lacks_value) {
    snprintf(text, sizeof text, "%.*s needs a value", (int)n, given);
    return usage(text);
  }
  char *name = xstrndup(given, n);
  struct nearest near = nearest_to(name + strspn(name, "-"));
  for (const struct option *o = options; o->name; o++)
    nearest_try(&near, o->name, strlen(o->name));
  if (near.name && !near.distance)
    snprintf(text, sizeof text, "--%s takes no value", near.name);
  else
    snprintf(text, sizeof text, "grade has no option %.60s%s%s%s", name,
             near.name ? "; did you mean --" : "", near.name ? near.name : "",
             near.name ? "?" : "");
  free(name);
  return usage(text);
}

// Reads the options; files and exercise are left behind `optind`.
static int read_options(struct grading *g, int argc, char **argv) {
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'},
      {"junit", required_argument, NULL, 'u'},
      {"results-json", required_argument, NULL, 'r'},
      {"device", required_argument, NULL, 'd'},
      {"secret", required_argument, NULL, 's'},
      {"learner", required_argument, NULL, 'l'},
      {"course", required_argument, NULL, 'c'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    switch (c) {
    case 'j': g->wants_json = true; break;
    case 'u': g->junit = optarg; break;
    case 'r': g->results_json = optarg; break;
    case 'd': g->device = optarg; break;
    case 's': g->secret = optarg; break;
    case 'l': g->learner = optarg; break;
    case 'c': g->course = optarg; break;
    case 'h': g->wants_help = true; return 0;
    default: return refuse_option(options, argv[optind - 1], c == ':');
    }
  }
  if (!g->device)
    g->device = getenv("WARPSHOP_DEVICE");
  g->count = argc - optind - 1;
  if (g->count < 1)
    return usage(g->count < 0 ? "grade needs an exercise and a file"
                              : "grade needs a file to judge");
  if (g->results_json && g->count > 1)
    return usage("--results-json is for one file");
  return 0;
}

static int open_judge(struct grading *g, const char *exercise) {
  struct err_info e;
  if (limits_check(&e))
    return say(EXIT_NO_MACHINE, e.text);
  if (exercise_load(exercise, &g->ex, &e))
    return say(EXIT_WRONG_USAGE, e.text);
  struct judge_options q = {.secret_file = g->secret,
                            .course = g->course,
                            .learner = g->learner,
                            .gpu = g->device};
  enum err err = judge_open(&q, &g->judge, &e);
  if (err)
    return say(err == ERR_IO || err == ERR_ARGUMENT ? EXIT_WRONG_USAGE
                                                    : EXIT_NO_MACHINE,
               e.text);
  return 0;
}

int grade_main(int argc, char **argv) {
  struct grading g = {0};
  int code = read_options(&g, argc, argv);
  if (g.wants_help) {
    printf("usage: %s%s", synopsis, help);
    return 0;
  }
  if (!code)
    code = open_judge(&g, argv[optind]);
  if (!code) {
    grade_all(&g, argv + optind + 1);
    code = report_all(&g);
  }
  for (int i = 0; g.verdicts && i < g.count; i++)
    verdict_free(g.verdicts[i]);
  free(g.verdicts);
  judge_close(g.judge);
  exercise_free(g.ex);
  return code;
}
