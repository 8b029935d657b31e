// SPDX-License-Identifier: Apache-2.0
// warpshop grade EXERCISE FILE... : one verdict a file.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "base/str.h"
#include "grade/batch/batch.h"
#include "grade/case/case.h"
#include "grade/command.h"
#include "grade/input/input.h"
#include "grade/judge/judge.h"
#include "grade/report/report.h"
#include "grade/subcommand/again.h"
#include "grade/subcommand/grade_cluster.h"
#include "grade/subcommand/subcommand.h"
#include "grade/verdict/verdict.h"

static const char synopsis[] =
    "warpshop grade EXERCISE FILE... [--json] [--jobs N] [--learner NAME]\n"
    "       warpshop grade [EXERCISE] FILE.case [--json]\n"
    "       warpshop grade --again VERDICTS FILE... [--secret FILE]\n"
    "       warpshop grade --from FOLDER [EXERCISE...] [--jobs N] [--resume]\n"
    "               [--course NAME] [--secret FILE] [--device cuda:0] "
    "[--rank]\n"
    "               [--engine local|slurm] [--spool FOLDER]\n"
    "               [--junit FILE] [--results-json FILE] [--report "
    "FORM=FILE]\n";

enum { MAX_REPORTS = 8 };

struct grading {
  bool wants_json, wants_help, resumes, ranks, runs_scripts;
  const char *device, *secret, *course, *learner, *from, *journal_path, *keep,
      *again;
  const char *engine, *spool, *task; // NULL: not said
  int jobs;                          // 0: not said
  int report_count;
  struct {
    const struct report_form *form;
    const char *path;
  } reports[MAX_REPORTS];
  char **names; // exercises and files, as they were given
  int name_count;
  struct hand_ins hand_ins;
  struct verdict_journal *journal;
  struct grade_cluster cluster;
  json_t **verdicts;
  int width; // of the longest name
  int shown; // so many lines were printed
  struct progress progress;
};

static const char help[] =
    "Judges each file as an answer to the exercise. FILE - is standard "
    "input.\n\n"
    "  --from FOLDER        all hand-ins FOLDER/<learner>/<exercise>.cu or "
    ".lua,\n"
    "                       of the exercises that are named or of all\n"
    "  --jobs N             so many at once (--from: one a processor)\n"
    "  --journal FILE       keeps each verdict there (--from: grades.journal)\n"
    "  --resume             what the journal has is not judged again, unless "
    "the\n"
    "                       exercise, the hand-in, a seed or the program "
    "changed\n"
    "  --engine slurm       --from on a cluster: job arrays, --jobs tasks of "
    "them at\n"
    "                       a time; slurm:partition=P,account=A,time=T,each=N "
    "asks\n"
    "                       for more, each= is how many hand-ins a task has\n"
    "  --spool FOLDER       what this machine and the nodes share meanwhile "
    "(beside\n"
    "                       the journal)\n"
    "  --run-scripts        batch scripts run in Slurm, with your rights, "
    "where the\n"
    "                       exercise wants it; else they are only read\n"
    "  --keep FILE.case     a failing launch that is not hidden, as a file: "
    "code,\n"
    "                       inputs, seed, order; warpshop grade FILE.case "
    "judges it\n"
    "                       again, and :debug FILE.case steps it\n"
    "  --again VERDICTS     what was judged before, on any machine: of which\n"
    "                       verdict in what --json printed (or a journal), "
    "and\n"
    "                       what of it is the same\n"
    "  --json               the verdicts as JSON, and nothing else\n"
    "  --report FORM=FILE   and in FILE, too, as\n";

static const char help_end[] =
    "  --junit FILE, --results-json FILE\n"
    "                       short for --report junit=, gradescope=\n"
    "  --learner NAME, --course NAME\n"
    "                       whose work it is: part of what inputs are drawn "
    "from\n"
    "  --secret FILE        the course's secret, which they are drawn from\n"
    "  --device cuda:0      runs and times on that GPU, too\n"
    "  --rank               times what passes beside the solution there (the "
    "first\n"
    "                       GPU, if none is named); no verdict depends on "
    "it\n\n"
    "Exit status: 0 all passed, 1 one did not, 2 wrong usage or a file that\n"
    "cannot be read or written, 3 this machine could judge none. warpshop "
    "exercise list\n"
    "names the exercises; docs/verdict.md describes the JSON.\n";

static void print_help(void) {
  const struct report_form *f;
  printf("usage: %s%s", synopsis, help);
  for (int i = 0; (f = report_form_at(i)); i++)
    printf("    %-14s     %s%s\n", f->name, f->what,
           f->takes_many ? "" : ", one hand-in");
  fputs(help_end, stdout);
}

static int usage(const char *text) {
  fprintf(stderr, "warpshop: %s\nusage: %s", text, synopsis);
  return EXIT_WRONG_USAGE;
}

// ---- What is printed ----

static void show_line(struct grading *g, int i) {
  char *line = report_line(g->hand_ins.list[i].name, g->verdicts[i], g->width);
  puts(line);
  free(line);
}

// In the order in which they were named.
static void show_done(struct grading *g) {
  int from = g->shown;
  while (g->shown < g->hand_ins.count && g->verdicts[g->shown])
    g->shown++;
  if (from < g->shown)
    progress_hide();
  for (int i = from; i < g->shown && !g->wants_json; i++)
    show_line(g, i);
  fflush(stdout);
}

static void take_verdict(void *context, int i, json_t *verdict, bool was_kept) {
  struct grading *g = context;
  (void)verdict;
  show_done(g);
  if (was_kept) // rate and time are of those that are judged
    g->progress.count--;
  progress_step(&g->progress, g->progress.done + !was_kept,
                g->hand_ins.list[i].name);
}

static int write_report(const char *path, char *text) {
  struct err_info e;
  enum err err = file_write(path, text, strlen(text), 0600, &e);
  free(text);
  return err ? command_say(EXIT_WRONG_USAGE, e.text) : 0;
}

static const char *journal_of(const struct grading *g) {
  return g->journal_path ? g->journal_path : g->from ? "grades.journal" : NULL;
}

// What the report would replace of what is read: "a hand-in"; NULL: nothing.
static const char *find_read(const struct grading *g, const char *path) {
  const char *journal = journal_of(g);
  for (int i = 0; i < g->hand_ins.count; i++) {
    char *in = g->from ? xasprintf("%s/%s", g->from, g->hand_ins.list[i].name)
                       : xstrdup(g->names[1 + i]);
    bool is_it = file_is_same(path, in);
    free(in);
    if (is_it)
      return "a hand-in";
  }
  if (journal && file_is_same(path, journal))
    return "the journal";
  return g->secret && file_is_same(path, g->secret) ? "the secret" : NULL;
}

// Before anything is judged, which may take hours.
static int check_written(const struct grading *g) {
  struct err_info e = {0};
  enum err err = g->keep ? file_check_write(g->keep, &e) : ERR_OK;
  for (int i = 0; !err && i < g->report_count; i++) {
    const char *path = g->reports[i].path, *read = find_read(g, path);
    err = read ? err_set(&e, ERR_ARGUMENT,
                         "%s: that is %s, and is left as it is; name another "
                         "file for the report",
                         path, read)
               : file_check_write(path, &e);
  }
  return err ? command_say(EXIT_WRONG_USAGE, e.text) : 0;
}

static const char *text_of(const json_t *verdict, const char *key) {
  const char *text = json_string_value(json_object_get(verdict, key));
  return text ? text : "";
}

static int exit_code_of(const json_t *verdict) {
  return verdict_exit_code_of(text_of(verdict, "verdict"),
                              text_of(verdict, "blame"));
}

// Where one could be judged, the others are told of in their verdicts.
static int exit_code_of_all(const struct grading *g) {
  int worst = 0, judged = 0;
  for (int i = 0; i < g->hand_ins.count; i++) {
    int code = exit_code_of(g->verdicts[i]);
    judged += code < EXIT_WRONG_USAGE;
    worst = code > worst ? code : worst;
  }
  return worst == EXIT_NO_MACHINE && judged ? 1 : worst;
}

static int report_all(struct grading *g) {
  int count = g->hand_ins.count, failed = 0, passes = 0;
  for (int i = 0; i < count; i++)
    passes += !strcmp(text_of(g->verdicts[i], "verdict"), "pass");
  if (g->wants_json) {
    char *text = report_json(g->verdicts, count);
    fputs(text, stdout);
    free(text);
  } else if (count > 1) {
    printf("%d submissions · %d pass\n", count, passes);
  }
  for (int i = 0; i < g->report_count; i++)
    failed |= write_report(g->reports[i].path,
                           g->reports[i].form->make(g->verdicts, count));
  for (int i = 0; i < g->hand_ins.note_count; i++)
    command_say(0, g->hand_ins.notes[i]);
  if (fflush(stdout) || ferror(stdout))
    failed = command_say(EXIT_WRONG_USAGE, "the results could not be written");
  return failed ? failed : exit_code_of_all(g);
}

// ---- The options ----

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
  char hint[NEAREST_HINT];
  for (const struct option *o = options; o->name; o++)
    nearest_try(&near, o->name, strlen(o->name));
  if (near.name && !near.distance)
    snprintf(text, sizeof text, "--%s takes no value", near.name);
  else
    snprintf(text, sizeof text, "grade has no option %.60s%s", name,
             nearest_hint(hint, &near, "--", "?"));
  free(name);
  return usage(text);
}

// "junit=FILE"
static int add_report(struct grading *g, const char *form, size_t bytes,
                      const char *path) {
  char text[160];
  const struct report_form *f = report_find_form(form, bytes);
  if (!f || !path || !*path) {
    snprintf(text, sizeof text,
             "--report takes FORM=FILE, and %s; warpshop grade --help lists "
             "the forms",
             f ? "the file is missing" : "there is no such form");
    return usage(text);
  }
  if (g->report_count == MAX_REPORTS)
    return usage("so many reports are not written at once");
  g->reports[g->report_count].form = f;
  g->reports[g->report_count++].path = path;
  return 0;
}

static int read_report(struct grading *g, const char *text) {
  size_t n = strcspn(text, "=");
  return add_report(g, text, n, text[n] ? text + n + 1 : NULL);
}

static int read_jobs(struct grading *g, const char *text) {
  char *end;
  long n = strtol(text, &end, 10);
  if (*end || n < 1 || n > 64)
    return usage("--jobs takes a number from 1 to 64");
  g->jobs = (int)n;
  return 0;
}

static int read_option(struct grading *g, int c) {
  switch (c) {
  case 'j': g->wants_json = true; return 0;
  case 'u': return add_report(g, "junit", strlen("junit"), optarg);
  case 'r': return add_report(g, "gradescope", strlen("gradescope"), optarg);
  case 'R': return read_report(g, optarg);
  case 'd': g->device = optarg; return 0;
  case 's': g->secret = optarg; return 0;
  case 'l': g->learner = optarg; return 0;
  case 'c': g->course = optarg; return 0;
  case 'n': return read_jobs(g, optarg);
  case 'f': g->from = optarg; return 0;
  case 'J': g->journal_path = optarg; return 0;
  case 'e': g->resumes = true; return 0;
  case 'k': g->keep = optarg; return 0;
  case 'A': g->again = optarg; return 0;
  case 'a': g->ranks = true; return 0;
  case 'E': g->engine = optarg; return 0;
  case 'S': g->spool = optarg; return 0;
  case 'T': g->task = optarg; return 0;
  case 'b': g->runs_scripts = true; return 0;
  default: g->wants_help = true; return 0;
  }
}

static bool is_case(const struct grading *g) {
  return !g->from && (g->name_count == 1 || g->name_count == 2) &&
         case_file_is(g->names[g->name_count - 1]);
}

static int check_engine(struct grading *g) {
  struct slurm_wish wish;
  struct err_info e;
  bool is_slurm;
  if (grade_engine_parse(g->engine ? g->engine : "local", &is_slurm, &wish, &e))
    return usage(e.text);
  slurm_wish_free(&wish);
  if (!is_slurm)
    g->engine = NULL;
  if (is_slurm && !g->from)
    return usage("--engine slurm is for --from FOLDER");
  if (g->spool && !is_slurm && !g->task)
    return usage("--spool is for --engine slurm");
  return 0;
}

// Do they go together?
static int check_options(struct grading *g) {
  if (check_engine(g))
    return EXIT_WRONG_USAGE;
  if (g->task)
    return 0;
  bool is_one = !g->from && g->name_count == 2;
  if (g->again)
    return g->from || !g->name_count || g->wants_json || g->report_count ||
                   g->journal_path || g->keep || g->course || g->ranks
               ? usage(
                     "--again takes FILE..., --secret, --learner and --device "
                     "alone")
               : 0;
  if (is_case(g) && (g->report_count || g->journal_path || g->keep))
    return usage("of a kept case there is a verdict, and no report");
  if (g->runs_scripts && !is_one)
    return usage("--run-scripts is for one file that you have read");
  if (g->keep && (!is_one || !case_file_is(g->keep)))
    return usage("--keep FILE.case is for one file that is judged");
  if (is_case(g))
    return 0;
  if (!g->from && g->name_count < 2)
    return usage(g->name_count ? "grade needs a file to judge"
                               : "grade needs an exercise and a file");
  if (g->from && g->learner)
    return usage("--learner is for files; with --from a folder names each");
  if (g->resumes && !g->from && !g->journal_path)
    return usage("--resume needs --journal FILE or --from FOLDER");
  for (int i = 0; i < g->report_count; i++)
    if (!g->reports[i].form->takes_many && !is_one)
      return usage(!strcmp(g->reports[i].form->name, "gradescope")
                       ? "--results-json is for one file"
                       : "this form of report is for one file");
  return 0;
}

static int read_options(struct grading *g, int argc, char **argv) {
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'},
      {"junit", required_argument, NULL, 'u'},
      {"results-json", required_argument, NULL, 'r'},
      {"report", required_argument, NULL, 'R'},
      {"device", required_argument, NULL, 'd'},
      {"secret", required_argument, NULL, 's'},
      {"learner", required_argument, NULL, 'l'},
      {"course", required_argument, NULL, 'c'},
      {"jobs", required_argument, NULL, 'n'},
      {"from", required_argument, NULL, 'f'},
      {"journal", required_argument, NULL, 'J'},
      {"resume", no_argument, NULL, 'e'},
      {"keep", required_argument, NULL, 'k'},
      {"again", required_argument, NULL, 'A'},
      {"rank", no_argument, NULL, 'a'},
      {"engine", required_argument, NULL, 'E'},
      {"spool", required_argument, NULL, 'S'},
      {"task", required_argument, NULL, 'T'},
      {"run-scripts", no_argument, NULL, 'b'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == ':' || c == '?')
      return refuse_option(options, argv[optind - 1], c == ':');
    int code = read_option(g, c);
    if (code || g->wants_help)
      return code;
  }
  if (!g->device)
    g->device = getenv("WARPSHOP_DEVICE");
  if (!g->device && g->ranks)
    g->device = "cuda:0";
  g->names = argv + optind;
  g->name_count = argc - optind;
  return check_options(g);
}

// ---- The command ----

static int say_judge(enum err err, const struct err_info *e) {
  return command_say(err == ERR_IO || err == ERR_ARGUMENT ? EXIT_WRONG_USAGE
                                                          : EXIT_NO_MACHINE,
                     e->text);
}

static int keep_case(const struct grading *g, const struct verdict *v) {
  if (!v->kept)
    return command_say(0, "no case that may be shown fails: nothing was kept");
  char *text = json_dumps(v->kept, JSON_INDENT(1));
  struct err_info e;
  enum err err = file_write(g->keep, text, strlen(text), 0600, &e);
  free(text);
  return err ? command_say(EXIT_WRONG_USAGE, e.text) : 0;
}

// One file: judged here, and told as a page.
static int grade_one(struct grading *g) {
  const struct hand_in *one = &g->hand_ins.list[0];
  struct judge_options q = {.secret_file = g->secret,
                            .course = g->course,
                            .learner = g->learner,
                            .keeps_case = g->keep,
                            .ranks = g->ranks,
                            .runs_scripts = g->runs_scripts,
                            .gpu = g->device};
  struct err_info e;
  struct judge *j;
  enum err err = judge_open(&q, &j, &e);
  if (err)
    return say_judge(err, &e);
  struct verdict *v = batch_judge(j, one);
  g->verdicts[0] = verdict_json(v);
  char *page = g->wants_json ? NULL : page_make(v, one->source.text);
  if (page)
    command_print(page);
  free(page);
  int code = g->keep ? keep_case(g, v) : 0;
  verdict_free(v);
  judge_close(j);
  return code;
}

// A case that was kept: its code, on its inputs, in its order.
static int grade_case(struct grading *g) {
  struct case_file f;
  struct err_info e;
  struct judge *j;
  const char *path = g->names[g->name_count - 1];
  if (case_file_open(path, g->name_count == 2 ? g->names[0] : NULL, &f, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  struct judge_options q = {.secret_file = g->secret,
                            .schedule_seed = f.order,
                            .skips_rules = true,
                            .given = &f};
  enum err err = command_check_limits(&e);
  err = err ? err : judge_open(&q, &j, &e);
  if (err) {
    case_file_close(&f);
    return say_judge(err, &e);
  }
  struct verdict *v = judge_run(j, f.ex, &f.source, NULL);
  json_t *o = verdict_json(v);
  char *text = g->wants_json ? report_json(&o, 1) : page_make(v, f.source.text);
  int code = exit_code_of(o);
  if (g->wants_json)
    fputs(text, stdout);
  else
    command_print(text);
  free(text);
  json_decref(o);
  verdict_free(v);
  judge_close(j);
  case_file_close(&f);
  return code;
}

static int grade_many(struct grading *g) {
  struct err_info e;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct batch b = {.hand_ins = &g->hand_ins,
                    .jobs = g->jobs                     ? g->jobs
                            : g->from && processors > 0 ? (int)processors
                                                        : 1,
                    .secret = g->secret,
                    .course = g->course,
                    .device = g->device,
                    .ranks = g->ranks,
                    .done = take_verdict,
                    .context = g};
  const char *path = journal_of(g);
  if (path && verdict_journal_open(path, g->resumes, &g->journal, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  b.journal = g->journal;
  if (g->engine) {
    int code =
        grade_cluster_open(&g->cluster, g->engine, g->spool, path, g->resumes);
    if (code)
      return code;
    b.cluster = &g->cluster.on;
    g->cluster.on.at_once = g->jobs;
    b.jobs = processors > 0 ? (int)processors : 1;
  }
  // Of one alone, its cases are counted.
  bool is_many = g->hand_ins.count > 1;
  if (is_many)
    progress_begin(&g->progress, "", g->hand_ins.count);
  enum err err = batch_run(&b, g->verdicts, &e);
  if (is_many)
    progress_end(&g->progress);
  grade_cluster_close(&g->cluster, !err);
  return err ? say_judge(err, &e) : 0;
}

static int open_hand_ins(struct grading *g) {
  struct err_info e;
  if (command_check_limits(&e))
    return command_say(EXIT_NO_MACHINE, e.text);
  enum err err =
      g->from ? hand_ins_of_folder(g->from, g->names, g->name_count,
                                   &g->hand_ins, &e)
              : hand_ins_of_files(g->names[0], g->names + 1, g->name_count - 1,
                                  g->learner, &g->hand_ins, &e);
  if (err)
    return command_say(EXIT_WRONG_USAGE, e.text);
  g->verdicts = xcalloc((size_t)g->hand_ins.count, sizeof(json_t *));
  for (int i = 0; i < g->hand_ins.count; i++) {
    int width = (int)strlen(g->hand_ins.list[i].name);
    g->width = width > g->width ? width : g->width;
  }
  return 0;
}

static int grade(struct grading *g) {
  bool is_one = !g->from && g->name_count == 2 && !g->journal_path;
  if (g->again)
    return again_run(&(struct again){g->again, g->names, g->name_count,
                                     g->secret, g->learner, g->device});
  if (g->task)
    return grade_task(g->task, g->spool);
  if (is_case(g))
    return grade_case(g);
  int code = open_hand_ins(g);
  if (!code)
    code = check_written(g);
  if (!code)
    code = is_one ? grade_one(g) : grade_many(g);
  if (!code)
    code = report_all(g);
  for (int i = 0; g->verdicts && i < g->hand_ins.count; i++)
    json_decref(g->verdicts[i]);
  free(g->verdicts);
  verdict_journal_close(g->journal);
  hand_ins_free(&g->hand_ins);
  return code;
}

int grade_main(int argc, char **argv) {
  struct grading g = {0};
  int code = read_options(&g, argc, argv);
  if (!g.wants_help)
    return code ? code : grade(&g);
  print_help();
  return 0;
}
