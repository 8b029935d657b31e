// SPDX-License-Identifier: Apache-2.0
// warpshop top: this machine's GPUs and who uses them, once or again and again.
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "display/display.h"
#include "repl/shop.h"
#include "repl/top/text.h"
#include "repl/top/top.h"
#include "repl/tui/tui.h"

// NVML's first call wakes a driver that sleeps, which takes seconds.
#define LATE_S 30.0

// ---- Options ----

static int refuse(const char *what) {
  shop_say("%s; warpshop help top shows its options", what);
  return EXIT_USAGE;
}

// "0,2" as bits.
static bool take_gpus(const char *text, uint32_t *bits) {
  for (const char *p = text;; p++) {
    char *end;
    errno = 0;
    long n = strtol(p, &end, 10);
    if (errno || end == p || n < 0 || n >= SURVEY_GPUS || (*end && *end != ','))
      return false;
    *bits |= (uint32_t)1 << n;
    if (!*end)
      return true;
    p = end;
  }
}

static bool take_number(const char *text, double least, double most,
                        double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end && *out >= least && *out <= most;
}

static int take_option(struct top *t, int option) {
  double n;
  switch (option) {
  case 'o': t->is_once = true; return 0;
  case 'j': t->is_json = true; return 0;
  case 'i':
    if (!take_number(optarg, 0.1, 3600, &t->interval_s))
      return refuse("--interval takes seconds, from 0.1 to 3600");
    return 0;
  case 'c':
    if (!take_number(optarg, 1, 1e9, &n))
      return refuse("--count takes how many looks, such as 10");
    t->count = (long)n;
    return 0;
  case 's':
    if (!sort_find(optarg, &t->choice.sort))
      return refuse("--sort takes gpu, use, memory, power, temperature, pid, "
                    "user or command");
    return 0;
  case 'f': typed_set(&t->choice.filter, optarg); return 0;
  case 'g':
    if (!take_gpus(optarg, &t->choice.gpus))
      return refuse("--gpu takes numbers of GPUs, such as 0 or 0,2");
    return 0;
  default: return refuse("top takes no such option, or this one needs a value");
  }
}

static int take_options(struct top *t, int argc, char **argv) {
  static const struct option options[] = {
      {"once", no_argument, NULL, 'o'},
      {"json", no_argument, NULL, 'j'},
      {"interval", required_argument, NULL, 'i'},
      {"count", required_argument, NULL, 'c'},
      {"sort", required_argument, NULL, 's'},
      {"filter", required_argument, NULL, 'f'},
      {"gpu", required_argument, NULL, 'g'},
      {NULL, 0, NULL, 0},
  };
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    int code = take_option(t, c);
    if (code)
      return code;
  }
  return optind < argc ? refuse("top takes options alone") : 0;
}

// ---- Looking ----

static int open_machine(struct top *t) {
  struct err_info e = {0};
  if (nvml_watch_open(&t->gpus, &e)) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  t->processes = process_watch_new(getenv("WARPSHOP_PROC"));
  machine_init(&t->machine);
  return EXIT_PASSED;
}

static void close_machine(struct top *t) {
  machine_free(&t->machine);
  process_watch_free(t->processes);
  nvml_watch_close(t->gpus);
}

static int look(struct top *t) {
  nvml_watch_ask(t->gpus);
  if (!nvml_watch_wait(t->gpus, LATE_S, &t->survey)) {
    shop_say("NVIDIA's library has not answered for %.0f s: a GPU of this "
             "machine may be lost (dmesg shows Xid errors)",
             LATE_S);
    return EXIT_MACHINE;
  }
  machine_look(&t->machine, &t->survey, t->processes);
  return EXIT_PASSED;
}

// A GPU that was asked for and is not there.
static int check_gpus(const struct top *t) {
  int count = t->machine.survey.gpu_count;
  for (int i = count; i < SURVEY_GPUS; i++)
    if (t->choice.gpus >> i & 1) {
      if (t->machine.survey.err)
        shop_say("there is no GPU %d here: %s", i, t->machine.survey.text);
      else
        shop_say("there is no GPU %d here: NVML lists %d", i, count);
      return EXIT_MACHINE;
    }
  return EXIT_PASSED;
}

// ---- As text ----

static void print_text(struct top *t) {
  struct str out = STR_INIT;
  if (t->s->screen.is_terminal)
    screen_measure(&t->s->screen);
  text_add(&t->machine, &t->choice,
           t->s->screen.is_terminal ? t->s->screen.columns : 0, &out);
  fputs(out.data, stdout);
  str_free(&out);
}

static void print_json(struct top *t) {
  json_t *o = machine_json(&t->machine, &t->choice);
  char *text = json_dumps(o, JSON_INDENT(2));
  printf("%s\n", text);
  free(text);
  json_decref(o);
}

static void sleep_s(double seconds) {
  struct timespec t = {(time_t)seconds,
                       (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

// Is there a rate to tell, for which a second look is needed?
static bool needs_two(const struct machine *m) {
  for (int i = 0; i < m->survey.gpu_count; i++)
    for (int k = 0; k < NVML_METRICS; k++)
      if (m->survey.gpus[i].is[k].why == NVML_NEEDS_TWO)
        return true;
  return m->server_count > 0;
}

static int show_once(struct top *t) {
  int code = look(t);
  if (!code)
    code = check_gpus(t);
  if (!code && needs_two(&t->machine)) {
    sleep_s(0.25);
    code = look(t);
  }
  if (code)
    return code;
  if (t->is_json)
    print_json(t);
  else
    print_text(t);
  return EXIT_PASSED;
}

// One text below the other, without control sequences, until it is ended.
static int show_plain(struct top *t) {
  for (long i = 1;; i++) {
    double began = clock_s();
    time_t now = time(NULL);
    struct tm tm;
    char when[32];
    int code = look(t);
    if (!code)
      code = check_gpus(t);
    if (code)
      return code;
    localtime_r(&now, &tm);
    strftime(when, sizeof when, "%H:%M:%S", &tm);
    printf("%slook %ld, at %s\n", i > 1 ? "\n" : "", i, when);
    print_text(t);
    if (fflush(stdout) || i == t->count)
      return EXIT_PASSED;
    double rest = t->interval_s - (clock_s() - began);
    if (rest > 0)
      sleep_s(rest);
  }
}

// On a screen, where there is one and it is wanted.
static int show(struct top *t) {
  struct display *d;
  struct err_info e;
  bool is_terminal = t->s->screen.is_terminal;
  if (t->is_once || t->is_json || (!t->is_plain && !t->count && !is_terminal))
    return show_once(t);
  if (t->is_plain || !is_terminal || display_is_unwanted())
    return show_plain(t);
  if (display_open(&d, &e)) {
    shop_say("as text, without a screen: %s", e.text);
    return show_plain(t);
  }
  int code = dash_run(t, d);
  display_close(d);
  return code;
}

int sub_top(struct shop *s, int argc, char **argv) {
  struct top *t = calloc(1, sizeof *t);
  if (!t)
    return EXIT_MACHINE;
  t->s = s;
  t->is_plain = s->wants_plain;
  t->interval_s = 1;
  int code = take_options(t, argc, argv);
  if (!code)
    code = open_machine(t);
  if (!code) {
    code = show(t);
    close_machine(t);
  }
  free(t);
  return code;
}
