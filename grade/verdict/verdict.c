// SPDX-License-Identifier: Apache-2.0
// The verdict on one submission: its making, its order, its score.
#include "grade/verdict/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "grade/rank/rank.h"

static const struct {
  const char *text;
  int rank;
} verdicts[] = {
#define VERDICT(name, text, rank) [VERDICT_##name] = {text, rank},
#include "grade/verdict/verdict.def"
#undef VERDICT
};

const char *verdict_text(enum verdict_kind v) {
  return verdicts[v].text;
}
int verdict_rank(enum verdict_kind v) {
  return verdicts[v].rank;
}

struct verdict *verdict_new(const char *exercise, const char *submission,
                            const char *device) {
  struct verdict *v = xcalloc(1, sizeof *v);
  v->exercise = xstrdup(exercise);
  v->submission = xstrdup(submission);
  v->device = xstrdup(device);
  v->judge_us = NAN;
  return v;
}

static void free_diagnostic(struct verdict_diagnostic *d) {
  char *texts[] = {d->kind,  d->file,       d->array,   d->variable,
                   d->code,  d->message,    d->explain, d->cell,
                   d->value, d->other_value};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
}

void verdict_free(struct verdict *v) {
  if (!v)
    return;
  for (int i = 0; i < v->case_count; i++) {
    free(v->cases[i].name);
    free(v->cases[i].release);
    free(v->cases[i].row);
    free(v->cases[i].mismatch.array);
  }
  for (int i = 0; i < v->diagnostic_count; i++)
    free_diagnostic(&v->diagnostics[i]);
  for (int i = 0; i < v->rule_count; i++)
    free(v->rules[i].rule);
  free(v->rules);
  free(v->cases);
  free(v->diagnostics);
  free(v->exercise);
  free(v->submission);
  free(v->device);
  free(v->output);
  free(v->course);
  free(v->learner);
  free(v->gpu);
  free(v->gpu_verdicts);
  rank_free(v->rank);
  json_decref(v->kept);
  free(v->mutant);
  free(v->gpu_name);
  free(v->gpu_driver);
  free(v);
}

struct verdict_diagnostic *verdict_add(struct verdict *v, const char *kind,
                                       const char *code, const char *fmt, ...) {
  char text[2048];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  size_t count = (size_t)v->diagnostic_count + 1;
  v->diagnostics = xrealloc(v->diagnostics, count * sizeof *v->diagnostics);
  struct verdict_diagnostic *d = &v->diagnostics[v->diagnostic_count++];
  memset(d, 0, sizeof *d);
  d->kind = xstrdup(kind);
  d->code = xstrdup(code);
  d->message = xstrdup(text);
  d->file = xstrdup(v->submission);
  return d;
}

void verdict_add_rule(struct verdict *v, struct verdict_rule r) {
  size_t count = (size_t)v->rule_count + 1;
  v->rules = xrealloc(v->rules, count * sizeof *v->rules);
  r.rule = xstrdup(r.rule);
  v->rules[v->rule_count++] = r;
}

void verdict_set_error(struct verdict *v, enum verdict_blame blame,
                       enum err kind, const char *text) {
  v->verdict = VERDICT_ERROR;
  v->blame = blame;
  verdict_add(v, err_kind(kind), "judge-error", "%s", text);
}

// ---- Order ----

static int compare_texts(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "");
}

// By severity, then by kind. Within a kind by place.
static int compare_diagnostics(const void *pa, const void *pb) {
  const struct verdict_diagnostic *a = pa, *b = pb;
  int difference = (int)a->severity - (int)b->severity;
  if (!difference)
    difference = finding_rank(a->kind) - finding_rank(b->kind);
  if (!difference)
    difference = a->order - b->order;
  if (!difference)
    difference = a->line - b->line;
  if (!difference)
    difference = a->column - b->column;
  if (!difference)
    difference = compare_texts(a->array, b->array);
  return difference ? difference : compare_texts(a->message, b->message);
}

// The same mistake at the same place, seen in another case; without a line, in
// the same words.
static bool is_same_mistake(const struct verdict_diagnostic *a,
                            const struct verdict_diagnostic *b) {
  bool in_words = !a->line || !strcmp(a->kind, "compile");
  return a->line == b->line && a->access == b->access &&
         !strcmp(a->kind, b->kind) && !compare_texts(a->array, b->array) &&
         !compare_texts(a->file, b->file) &&
         (!in_words || !strcmp(a->message, b->message));
}

// The first keeps what was said of the second alone: a note of a case is
// explained when the case has turned out to be wrong.
static bool is_repeated(struct verdict *v, int i) {
  struct verdict_diagnostic *own = &v->diagnostics[i];
  for (int k = 0; k < i; k++) {
    struct verdict_diagnostic *first = &v->diagnostics[k];
    if (!is_same_mistake(own, first))
      continue;
    if (!first->explain && first->order == own->order) {
      first->explain = own->explain;
      own->explain = NULL;
    }
    return true;
  }
  return false;
}

static void drop_repeated(struct verdict *v) {
  for (int i = 0; i < v->diagnostic_count; i++) {
    if (!is_repeated(v, i))
      continue;
    free_diagnostic(&v->diagnostics[i]);
    v->diagnostic_count--;
    memmove(&v->diagnostics[i], &v->diagnostics[i + 1],
            (size_t)(v->diagnostic_count - i) * sizeof *v->diagnostics);
    i--;
  }
}

// ---- Score ----

static double points_of_rules(const struct verdict *v) {
  double points = 0;
  for (int i = 0; i < v->rule_count; i++)
    if (v->rules[i].verdict == VERDICT_PASS)
      points += v->rules[i].points;
  return points;
}

// What each case was worth, by its weight.
static void share_points(struct verdict *v, double points, double weight) {
  for (int i = 0; i < v->case_count; i++) {
    struct verdict_case *c = &v->cases[i];
    bool is_right = c->verdict == VERDICT_PASS && !c->is_disputed;
    c->possible = weight > 0 ? points * c->weight / weight : 0;
    c->earned = isnan(v->earned) ? NAN : is_right ? c->possible : 0;
  }
}

void verdict_tell_time(struct verdict *v, double before_us) {
  v->judge_us = before_us;
  for (int i = 0; i < v->case_count; i++) {
    struct verdict_case *c = &v->cases[i];
    if (c->is_hidden)
      c->kernel_us = c->mad_us = c->reference_us = c->judge_us = NAN;
    else if (!isnan(c->judge_us))
      v->judge_us += c->judge_us;
  }
}

void verdict_finish(struct verdict *v, double points, double rule_points) {
  double weight = 0, passed = 0;
  drop_repeated(v);
  if (v->diagnostic_count)
    qsort(v->diagnostics, (size_t)v->diagnostic_count, sizeof *v->diagnostics,
          compare_diagnostics);
  for (int i = 0; i < v->case_count; i++) {
    const struct verdict_case *c = &v->cases[i];
    weight += c->weight;
    passed += c->verdict == VERDICT_PASS && !c->is_disputed ? c->weight : 0;
    if (c->is_disputed && v->verdict == VERDICT_PASS)
      v->verdict = VERDICT_FAIL;
    if (verdict_rank(c->verdict) > verdict_rank(v->verdict))
      v->verdict = c->verdict;
  }
  v->possible = points + rule_points;
  v->earned = weight > 0 ? points * passed / weight : 0;
  if (v->verdict == VERDICT_PASS)
    v->earned += points_of_rules(v);
  // Cents, rounded down: only who passes everything has it all.
  v->earned = floor(v->earned * 100 + 1e-6) / 100;
  if (v->verdict == VERDICT_ERROR || v->verdict == VERDICT_SKIPPED)
    v->earned = NAN;
  else if (v->verdict == VERDICT_COMPILE_ERROR)
    v->earned = 0;
  share_points(v, points, weight);
}

int verdict_exit_code(const struct verdict *v) {
  return verdict_exit_code_of(verdict_text(v->verdict),
                              verdict_blame_text(v->blame));
}

const char *verdict_blame_text(enum verdict_blame blame) {
  static const char *const blames[] = {NULL, "usage", "machine"};
  return blames[blame];
}

int verdict_exit_code_of(const char *verdict, const char *blame) {
  if (!strcmp(verdict, verdict_text(VERDICT_PASS)))
    return 0;
  if (!strcmp(verdict, verdict_text(VERDICT_SKIPPED)))
    return 3;
  if (strcmp(verdict, verdict_text(VERDICT_ERROR)) != 0)
    return 1;
  return blame && !strcmp(blame, verdict_blame_text(BLAME_USAGE)) ? 2 : 3;
}
