// SPDX-License-Identifier: Apache-2.0
// What a wrong result is like: the cases, one after another, each of which rules
// likenesses out.
#include "grade/resemble/resemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/resemble/resemble_input.h"
#include "grade/resemble/resemble_like.h"
#include "grade/resemble/resemble_place.h"
#include "grade/resemble/resemble_value.h"

// Elements that a likeness must have explained: with less it may be chance.
enum { LEAST_EVIDENCE = 8 };

struct resemble {
  const struct exercise *exercise;
  struct like_list likes;
  int param; // the array that is wrong in every case; -1: no case yet
  bool is_lost;
};

// ---- One array ----

static void set_steps(struct wrong *w) {
  static const struct {
    enum dtype t;
    int step, least; // powers of 2
  } all[] = {{DTYPE_F16, -10, -24},
             {DTYPE_BF16, -7, -133},
             {DTYPE_F32, -23, -149},
             {DTYPE_F64, -52, -1074}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].t == w->dtype) {
      w->step = ldexp(1, all[i].step);
      w->least = ldexp(1, all[i].least);
    }
}

static void wrong_free(struct wrong *w) {
  free(w->got);
  free(w->want);
  free(w->is_right);
  free(w->is_kept);
}

// Returns how many elements are wrong.
static size_t wrong_read(struct wrong *w, const void *want, const void *got,
                         const void *before) {
  size_t width = dtype_bytes(w->dtype), wrong = 0;
  w->got = xcalloc(w->count + 1, sizeof *w->got);
  w->want = xcalloc(w->count + 1, sizeof *w->want);
  w->is_right = xcalloc(w->count + 1, sizeof *w->is_right);
  w->is_kept = xcalloc(w->count + 1, sizeof *w->is_kept);
  set_steps(w);
  for (size_t i = 0; i < w->count; i++) {
    struct comparison one;
    const char *g = (const char *)got + i * width;
    const char *old = (const char *)before + i * width;
    compare_arrays(w->dtype, g, (const char *)want + i * width, 1, w->tolerance,
                   &one);
    w->got[i] = compare_element(w->dtype, got, i);
    w->want[i] = compare_element(w->dtype, want, i);
    w->is_kept[i] = before && !memcmp(g, old, width);
    bool is_poison =
        w->is_kept[i] && w->exercise->params[w->param].direction == PARAM_OUT;
    w->is_right[i] = !one.wrong && !is_poison;
    wrong += !w->is_right[i];
  }
  return wrong;
}

// ---- Cases ----

struct resemble *resemble_new(const struct exercise *ex) {
  struct resemble *r = xcalloc(1, sizeof *r);
  r->exercise = ex;
  r->param = -1;
  return r;
}

void resemble_free(struct resemble *r) {
  if (!r)
    return;
  free(r->likes.all);
  free(r);
}

static void begin(struct resemble *r, int param) {
  r->param = param;
  resemble_add_places(&r->likes);
  resemble_add_values(&r->likes);
  resemble_add_inputs(&r->likes, r->exercise, param);
  resemble_add_sums(&r->likes, r->exercise, param);
}

static void try_all(struct resemble *r, const struct wrong *w, bool is_first) {
  for (int i = 0; i < r->likes.count; i++) {
    struct like *l = &r->likes.all[i];
    l->is_out = l->is_out || !l->holds(l, w, is_first);
  }
}

void resemble_add(struct resemble *r, const struct tolerance *tolerance,
                  const struct case_input *in, const struct case_input *want,
                  const struct run_result *got) {
  const struct exercise *ex = r->exercise;
  bool is_wrong = false, is_own = false;
  for (int k = 0; k < ex->param_count; k++) {
    struct wrong w = {
        ex, in, k, ex->params[k].dtype, tolerance, want->args[k].count};
    if (!exercise_is_result(&ex->params[k]))
      continue;
    const void *before = ex->params[k].direction == PARAM_OUT
                             ? got->poison[k]
                             : in->args[k].data;
    if (wrong_read(&w, want->args[k].data, got->data[k], before)) {
      bool is_first = r->param < 0;
      if (is_first)
        begin(r, k);
      if (k == r->param)
        try_all(r, &w, is_first);
      is_wrong = true;
      is_own |= k == r->param;
    }
    wrong_free(&w);
  }
  r->is_lost |= is_wrong && !is_own;
}

char *resemble_text(const struct resemble *r) {
  const struct like *found = NULL;
  int count = 0;
  for (int i = 0; i < r->likes.count; i++) {
    const struct like *l = &r->likes.all[i];
    if (l->is_out || l->evidence < LEAST_EVIDENCE ||
        (found && l->weakness > found->weakness))
      continue;
    count = found && l->weakness == found->weakness ? count + 1 : 1;
    found = l;
  }
  if (r->is_lost || r->param < 0 || count != 1)
    return NULL;
  struct str out = STR_INIT;
  found->tell(found, r->exercise, r->param, &out);
  char *text = xstrdup(out.data);
  str_free(&out);
  return text;
}
