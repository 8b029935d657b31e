// SPDX-License-Identifier: Apache-2.0
// warpshop class similar: which hand-ins are alike, for the instructor to look at.
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "class/class_main.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/batch/batch.h"
#include "grade/command.h"
#include "grade/similar/similar.h"

enum { SHOWN = 30, COLUMNS = 100 };

struct similar_request {
  double least; // 0 to 1
  char *pair;   // "anna,ben", or NULL
  bool wants_json;
};

static const struct hand_in *of(const struct similar *s, int i) {
  return &s->hand_ins->list[i];
}

static bool is_shown(const struct similar_request *q,
                     const struct similar_pair *p) {
  return p->source >= q->least || p->ptx >= q->least;
}

// ---- As a table ----

static void add_share(struct str *out, double share) {
  if (share < 0)
    str_add(out, "    -");
  else
    str_addf(out, "%4.0f%%", 100 * share);
}

static void print_table(const struct similar *s,
                        const struct similar_request *q) {
  struct str out = STR_INIT;
  int shown = 0;
  for (int i = 0; i < s->pair_count && shown < SHOWN; i++) {
    const struct similar_pair *p = &s->pairs[i];
    if (!is_shown(q, p))
      continue;
    if (!shown++)
      str_addf(&out, "%5s %5s  %-24s %s\n", "text", "PTX", "exercise",
               "learners");
    add_share(&out, p->source);
    str_add_char(&out, ' ');
    add_share(&out, p->ptx);
    str_addf(&out, "  %-24s %s, %s\n", of(s, p->a)->ex->name,
             of(s, p->a)->learner, of(s, p->b)->learner);
  }
  if (!shown)
    str_addf(&out,
             "No two of %d hand-ins share %.0f %% of what is their own.\n",
             s->hand_ins->count, 100 * q->least);
  else
    str_add(&out, "How much of the smaller one the other has, beyond starter, "
                  "solution and what most\nwrite. It proves nothing: --pair "
                  "A,B shows two side by side.\n");
  fputs(out.data, stdout);
  str_free(&out);
}

// ---- As JSON ----

static json_t *share_json(double share) {
  return share < 0 ? json_null() : json_real(share);
}

static void print_json(const struct similar *s,
                       const struct similar_request *q) {
  json_t *list = json_array();
  for (int i = 0; i < s->pair_count; i++) {
    const struct similar_pair *p = &s->pairs[i];
    if (is_shown(q, p))
      json_array_append_new(
          list,
          json_pack("{s:s,s:[s,s],s:o,s:o,s:i}", "exercise",
                    of(s, p->a)->ex->name, "learners", of(s, p->a)->learner,
                    of(s, p->b)->learner, "source", share_json(p->source),
                    "ptx", share_json(p->ptx), "shared", p->shared));
  }
  json_t *o = json_pack("{s:s,s:i,s:o}", "schema", "warpshop.similar/1",
                        "hand_ins", s->hand_ins->count, "pairs", list);
  json_dumpf(o, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(o);
}

// ---- One pair ----

static bool is_pair(const struct similar *s, const struct similar_pair *p,
                    const char *a, const char *b) {
  const char *x = of(s, p->a)->learner, *y = of(s, p->b)->learner;
  return (!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a));
}

static int print_pairs(const struct similar *s, char *names) {
  char *b = strchr(names, ',');
  int shown = 0;
  if (!b)
    return class_usage("class similar: --pair takes two learners, anna,ben");
  *b++ = 0;
  for (int i = 0; i < s->pair_count; i++) {
    const struct similar_pair *p = &s->pairs[i];
    if (!is_pair(s, p, names, b))
      continue;
    char *text = similar_show(s, p, COLUMNS);
    printf("%s%s: %s | %s\n%s", shown++ ? "\n" : "", of(s, p->a)->ex->name,
           of(s, p->a)->learner, of(s, p->b)->learner, text);
    free(text);
  }
  struct str none = STR_INIT;
  str_addf(&none, "there is no exercise that %.80s and %.80s both handed in",
           names, b);
  int code = shown ? 0 : command_say(EXIT_WRONG_USAGE, none.data);
  str_free(&none);
  return code;
}

// ---- The command ----

// What is in no pair is named, or its absence would say that it is like nothing.
static void say_left_out(const struct hand_ins *h) {
  for (int i = 0; i < h->count; i++) {
    const struct hand_in *one = &h->list[i];
    if (similar_has_text(one))
      continue;
    char *text = xasprintf("left out: %s has no text (%s)", one->name,
                           one->refused ? one->refused : one->unread.text);
    command_say(0, text);
    free(text);
  }
}

static int print_all(const struct hand_ins *h,
                     const struct similar_request *q) {
  struct nvrtc_options options = {0};
  struct nvrtc *compiler = NULL;
  struct similar s;
  struct err_info e;
  if (nvrtc_open(&options, &compiler, &e))
    compiler = NULL; // the sources alone, then
  say_left_out(h);
  similar_find(h, compiler, &s);
  int code = 0;
  if (q->pair)
    code = print_pairs(&s, q->pair);
  else if (q->wants_json)
    print_json(&s, q);
  else
    print_table(&s, q);
  similar_free(&s);
  if (compiler)
    nvrtc_close(compiler);
  return code;
}

static bool read_least(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end) / 100;
  return *text && !*end && *out >= 0 && *out <= 1;
}

int class_similar(int argc, char **argv) {
  static const struct option options[] = {
      {"least", required_argument, NULL, 'l'},
      {"pair", required_argument, NULL, 'p'},
      {"json", no_argument, NULL, 'j'},
      {NULL, 0, NULL, 0},
  };
  struct similar_request q = {.least = 0.6};
  struct hand_ins h;
  struct err_info e;
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    if (c == 'j')
      q.wants_json = true;
    else if (c == 'p')
      q.pair = optarg;
    else if (c != 'l' || !read_least(optarg, &q.least))
      return class_usage("class similar takes FOLDER, exercises, --least with "
                         "0 to 100, --pair A,B and --json");
  }
  if (optind == argc)
    return class_usage("class similar needs the FOLDER of hand-ins");
  enum err err = hand_ins_of_folder(argv[optind], argv + optind + 1,
                                    argc - optind - 1, &h, &e);
  if (err)
    return class_say_error(err, &e);
  int code = print_all(&h, &q);
  hand_ins_free(&h);
  return code;
}
