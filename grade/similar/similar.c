// SPDX-License-Identifier: Apache-2.0
// Pairs of hand-ins by the fingerprints that they share.
#include "grade/similar/similar.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/batch/batch.h"
#include "grade/input/input.h"
#include "grade/similar/fingerprint.h"

enum {
  LEAST_OWN = 6,   // fingerprints: fewer say nothing of where they come from
  LEAST_CLASS = 6, // learners: only then is there such a thing as "most"
};

// ---- Fingerprints ----

static bool is_lua(const struct exercise *ex) {
  return exercise_is_lua(ex->kind);
}

// Empty where it does not compile: there is nothing to compare.
static void read_ptx(struct nvrtc *compiler, const char *text,
                     struct fingerprints *out) {
  struct nvrtc_request q = {
      .source = text, .file = "a.cu", .arch = "compute_80", .want_ptx = true};
  struct nvrtc_program *p = NULL;
  struct err_info e;
  bool has_code = compiler && !nvrtc_compile(compiler, &q, &p, &e);
  fingerprints_of_ptx(has_code ? p->code : "", out);
  nvrtc_program_free(p);
}

static void read_both(const struct exercise *ex, struct nvrtc *compiler,
                      const char *text, struct fingerprints of[2]) {
  fingerprints_of_source(text, is_lua(ex), &of[0]);
  read_ptx(is_lua(ex) ? NULL : compiler, text, &of[1]);
}

// Takes out what a text has that everybody was given, or may come to alone.
static void drop_text(struct similar *s, const struct exercise *ex,
                      struct nvrtc *compiler, const char *text) {
  struct fingerprints given[2];
  read_both(ex, compiler, text, given);
  for (int i = 0; i < s->hand_ins->count; i++)
    if (s->hand_ins->list[i].ex == ex) {
      fingerprints_drop(&s->source[i], &given[0]);
      fingerprints_drop(&s->ptx[i], &given[1]);
    }
  fingerprints_free(&given[0]);
  fingerprints_free(&given[1]);
}

static void drop_given(struct similar *s, const struct exercise *ex,
                       struct nvrtc *compiler) {
  drop_text(s, ex, compiler, ex->starter);
  drop_text(s, ex, compiler, ex->solution);
  for (int i = 0; i < ex->mutant_count; i++)
    drop_text(s, ex, NULL, ex->mutants[i].source);
}

// ---- What most write ----

static int count_having(const struct similar *s, const struct fingerprints *of,
                        const struct exercise *ex, uint64_t hash) {
  int count = 0;
  for (int i = 0; i < s->hand_ins->count; i++)
    count += s->hand_ins->list[i].ex == ex && fingerprints_have(&of[i], hash);
  return count;
}

static int count_of(const struct hand_ins *h, const struct exercise *ex) {
  int count = 0;
  for (int i = 0; i < h->count; i++)
    count += h->list[i].ex == ex && similar_has_text(&h->list[i]);
  return count;
}

// What is taken out of one is taken out of all, so that the counts of the rest stay.
static void drop_usual(struct similar *s, struct fingerprints *of,
                       const struct exercise *ex) {
  int all = count_of(s->hand_ins, ex);
  struct fingerprints usual = {0};
  if (all < LEAST_CLASS)
    return;
  for (int i = 0; i < s->hand_ins->count; i++) {
    if (s->hand_ins->list[i].ex != ex)
      continue;
    usual = (struct fingerprints){
        .list = xcalloc((size_t)of[i].count + 1, sizeof *usual.list)};
    for (int k = 0; k < of[i].count; k++)
      if (2 * count_having(s, of, ex, of[i].list[k].hash) > all)
        usual.list[usual.count++] = of[i].list[k];
    for (int k = 0; k < s->hand_ins->count; k++)
      if (s->hand_ins->list[k].ex == ex)
        fingerprints_drop(&of[k], &usual);
    fingerprints_free(&usual);
  }
}

// ---- Pairs ----

static double share(const struct fingerprints *a, const struct fingerprints *b,
                    int *shared) {
  int least = a->count < b->count ? a->count : b->count;
  *shared = fingerprints_shared(a, b);
  return least < LEAST_OWN ? -1 : (double)*shared / least;
}

static bool is_same_learner(const struct hand_in *a, const struct hand_in *b) {
  return a->learner && b->learner && !strcmp(a->learner, b->learner);
}

static void add_pair(struct similar *s, int a, int b) {
  const struct hand_in *list = s->hand_ins->list;
  struct similar_pair p = {.a = a, .b = b};
  int ignored;
  if (list[a].ex != list[b].ex || is_same_learner(&list[a], &list[b]) ||
      !similar_has_text(&list[a]) || !similar_has_text(&list[b]))
    return;
  p.source = share(&s->source[a], &s->source[b], &p.shared);
  p.ptx = share(&s->ptx[a], &s->ptx[b], &ignored);
  size_t bytes = ((size_t)s->pair_count + 1) * sizeof p;
  s->pairs = xrealloc(s->pairs, bytes);
  s->pairs[s->pair_count++] = p;
}

static double most(const struct similar_pair *p) {
  return p->source > p->ptx ? p->source : p->ptx;
}

static int by_likeness(const void *a, const void *b) {
  const struct similar_pair *x = a, *y = b;
  double d = most(y) - most(x);
  if (d == 0)
    d = y->shared - x->shared;
  if (d == 0)
    d = x->a != y->a ? x->a - y->a : x->b - y->b;
  return d > 0 ? 1 : d < 0 ? -1 : 0;
}

bool similar_has_text(const struct hand_in *one) {
  return one->source.text && !one->refused;
}

void similar_find(const struct hand_ins *h, struct nvrtc *compiler,
                  struct similar *out) {
  size_t count = (size_t)h->count + 1;
  *out = (struct similar){.hand_ins = h,
                          .source = xcalloc(count, sizeof *out->source),
                          .ptx = xcalloc(count, sizeof *out->ptx)};
  for (int i = 0; i < h->count; i++) {
    struct fingerprints of[2];
    if (!similar_has_text(&h->list[i]))
      continue;
    read_both(h->list[i].ex, compiler, h->list[i].source.text, of);
    out->source[i] = of[0];
    out->ptx[i] = of[1];
  }
  for (int i = 0; i < h->exercise_count; i++) {
    drop_given(out, h->exercises[i], compiler);
    drop_usual(out, out->source, h->exercises[i]);
    drop_usual(out, out->ptx, h->exercises[i]);
  }
  for (int a = 0; a < h->count; a++)
    for (int b = a + 1; b < h->count; b++)
      add_pair(out, a, b);
  if (out->pair_count)
    qsort(out->pairs, (size_t)out->pair_count, sizeof *out->pairs, by_likeness);
}

void similar_free(struct similar *s) {
  for (int i = 0; i < s->hand_ins->count; i++) {
    fingerprints_free(&s->source[i]);
    fingerprints_free(&s->ptx[i]);
  }
  free(s->source);
  free(s->ptx);
  free(s->pairs);
}

// ---- Side by side ----

// Is line `n` of `a` among those whose fingerprints `b` has?
static bool is_shared(const struct fingerprints *a,
                      const struct fingerprints *b, int n) {
  for (int i = 0; i < a->count; i++)
    if (a->list[i].first <= n && n <= a->list[i].last &&
        fingerprints_have(b, a->list[i].hash))
      return true;
  return false;
}

// One half of a line; what does not fit is cut, and letters are not.
static void add_half(struct str *out, const char **text, bool is_marked,
                     int columns, bool pads) {
  int n = (int)strcspn(*text, "\n"), shown = 0, used = 0;
  for (; shown < n && used < columns; shown++)
    used += ((*text)[shown] & 0xc0) != 0x80;
  while (shown < n && ((*text)[shown] & 0xc0) == 0x80)
    shown++;
  str_add(out, is_marked ? "= " : "  ");
  for (int i = 0; i < shown; i++)
    str_add_char(out, (*text)[i] == '\t' ? ' ' : (*text)[i]);
  for (; pads && used < columns; used++)
    str_add_char(out, ' ');
  *text += n + ((*text)[n] == '\n');
}

char *similar_show(const struct similar *s, const struct similar_pair *p,
                   int columns) {
  struct str out = STR_INIT;
  const char *sources[] = {s->hand_ins->list[p->a].source.text,
                           s->hand_ins->list[p->b].source.text};
  char *clean[2];
  for (int i = 0; i < 2; i++)
    clean[i] = text_clean(sources[i], strlen(sources[i]), SIZE_MAX, 1);
  const char *a = clean[0], *b = clean[1];
  int half = (columns - 7) / 2;
  for (int n = 1; *a || *b; n++) {
    add_half(&out, &a, is_shared(&s->source[p->a], &s->source[p->b], n), half,
             true);
    str_add(&out, " | ");
    add_half(&out, &b, is_shared(&s->source[p->b], &s->source[p->a], n), half,
             false);
    str_add_char(&out, '\n');
  }
  free(clean[0]);
  free(clean[1]);
  return str_take(&out);
}
