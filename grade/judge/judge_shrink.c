// SPDX-License-Identifier: Apache-2.0
// Smaller inputs, on which a submission still fails and the solution does not.
#include "grade/judge/judge_shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/judge/case_size.h"
#include "grade/judge/judge_compile.h"

// Runs for one array's values: a search that ends, not the smallest there is.
enum { MOST_RUNS = 96 };

// ---- Does it fail? ----

static bool has_mistake(const struct run_result *r) {
  for (int i = 0; i < r->finding_count; i++)
    if (r->findings[i].severity == GPU_ERROR)
      return true;
  return false;
}

// What ran out of something, or lost its device, says nothing.
static bool is_cut(const struct run_result *r) {
  return r->outcome == ERR_TIMEOUT || r->outcome == ERR_DEVICE_LOST ||
         r->outcome == ERR_UNSUPPORTED || r->outcome == ERR_NOMEM ||
         r->launch_end >= LAUNCH_RAISED;
}

static bool is_right(const struct trial *t, const struct problem *p,
                     const struct run_result *r) {
  struct verdict_case scratch = {0};
  bool is_right = r->has_data && !r->outcome && !has_mistake(r) &&
                  judge_compare(t->ex, p->in.index, &p->want, r, &scratch);
  free(scratch.mismatch.array);
  return is_right;
}

static bool solution_is_right(struct trial *t, const struct problem *p) {
  struct run_result r = {0};
  struct err_info e;
  bool right = !judge_run_solution(t, p, false, &r, &e) && is_right(t, p, &r);
  run_result_free(&r);
  return right;
}

bool judge_is_failing(struct trial *t, const struct problem *p,
                      struct run_result *r) {
  struct err_info e;
  memset(r, 0, sizeof *r);
  bool fails = !judge_launch(t, judge_own_code(t), p, 0, r, &e) && !is_cut(r) &&
               !is_right(t, p, r) && solution_is_right(t, p);
  if (!fails)
    run_result_free(r);
  return fails;
}

static bool still_fails(struct trial *t, const struct problem *p) {
  struct run_result r;
  bool fails = judge_is_failing(t, p, &r);
  if (fails)
    run_result_free(&r);
  return fails;
}

// The results that the inputs must have now.
static bool solve(struct trial *t, struct problem *p) {
  struct err_info e;
  case_input_free(&p->want);
  case_input_copy(t->ex, &p->in, &p->want);
  return !exercise_solve(t->ex, &p->want, NULL, &e);
}

bool judge_make_changed(struct trial *t, int i,
                        const struct case_changes *changes,
                        const struct seed *seed, struct problem *out) {
  struct err_info e;
  memset(out, 0, sizeof *out);
  out->seed = *seed;
  if (exercise_make_changed(t->ex, i, changes, seed, &out->in, &e))
    return false;
  if (solve(t, out))
    return true;
  judge_problem_free(out);
  return false;
}

// ---- Sizes ----

static void change(struct case_changes *c, const char *field, int64_t value) {
  int k = 0;
  while (k < c->count && strcmp(c->at[k].field, field))
    k++;
  if (k == CASE_MAX_CHANGES)
    return;
  c->count += k == c->count;
  strcpy(c->at[k].field, field);
  c->at[k].value = value;
}

// With that number in place of the field's: true where it fails, and `p` is that.
static bool try_size(struct trial *t, struct problem *p,
                     const struct case_size *s, int64_t number) {
  struct problem smaller;
  struct case_changes changes = p->in.changes;
  change(&changes, s->field, case_size_at(s, number));
  if (!judge_make_changed(t, p->in.index, &changes, &p->seed, &smaller))
    return false;
  if (still_fails(t, &smaller)) {
    judge_problem_free(p);
    *p = smaller;
    return true;
  }
  judge_problem_free(&smaller);
  return false;
}

// From the least on, twice as far each time, until it fails; then half the way
// back, as long as there is one. The first that fails is no proof that all above
// do, so that what is found is small, and perhaps not the smallest.
static void shrink_size(struct trial *t, struct problem *p,
                        const struct case_size *s, int64_t now) {
  int64_t good = -1, bad = case_size_number(s, now);
  for (int64_t far = 0; far < bad; far = 2 * far + 1) {
    if (try_size(t, p, s, far))
      bad = far;
    else
      good = far;
  }
  while (bad - good > 1) {
    int64_t middle = good + (bad - good) / 2;
    if (try_size(t, p, s, middle))
      bad = middle;
    else
      good = middle;
  }
}

static int64_t size_of(const struct exercise *ex, const struct case_input *in,
                       const char *field) {
  lua_State *L = ex->L;
  case_push(L, in->index, &in->changes);
  lua_pushstring(L, field);
  lua_rawget(L, -2);
  int64_t value = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return value;
}

// ---- Values ----

// Numbers in order are likely to be places or borders, of which others are none.
static bool is_free(const struct exercise_param *p, const struct case_arg *a) {
  bool is_rising = true;
  if (!a->data || p->direction == PARAM_OUT || p->direction == PARAM_SCRATCH)
    return false;
  for (size_t i = 1; i < a->count && is_rising; i++)
    is_rising = compare_element(p->dtype, a->data, i) >=
                compare_element(p->dtype, a->data, i - 1);
  return !is_rising || dtype_kind(p->dtype) == 'f';
}

// 0 where that lies between what is there, else what is nearest to it.
static double plainest(enum dtype type, const struct case_arg *a) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < a->count; i++) {
    double v = compare_element(type, a->data, i);
    least = v < least ? v : least;
    most = v > most ? v : most;
  }
  return least > 0 ? least : most < 0 ? most : 0;
}

static bool is_plain(enum dtype type, const struct case_arg *a, size_t from,
                     size_t to, double plain) {
  while (from < to && compare_element(type, a->data, from) == plain)
    from++;
  return from == to;
}

// Elements `from` to `to` become plain, where it still fails then.
static bool try_plain(struct trial *t, struct problem *p, int k, size_t from,
                      size_t to, double plain) {
  enum dtype type = t->ex->params[k].dtype;
  struct case_arg *a = &p->in.args[k];
  size_t width = dtype_bytes(type), bytes = (to - from) * width;
  char *own = xmalloc(bytes), *at = (char *)a->data + from * width;
  memcpy(own, at, bytes);
  for (size_t i = from; i < to; i++)
    case_store(type, a->data, i, plain);
  bool fails = solve(t, p) && still_fails(t, p);
  if (!fails) {
    memcpy(at, own, bytes);
    solve(t, p);
  }
  free(own);
  return fails;
}

static void shrink_values(struct trial *t, struct problem *p, int k) {
  enum dtype type = t->ex->params[k].dtype;
  struct case_arg *a = &p->in.args[k];
  double plain = plainest(type, a);
  int runs = 0;
  for (size_t part = a->count; part; part /= 2)
    for (size_t from = 0; from < a->count; from += part) {
      size_t to = from + part < a->count ? from + part : a->count;
      if (is_plain(type, a, from, to, plain))
        continue;
      if (runs++ == MOST_RUNS)
        return;
      try_plain(t, p, k, from, to, plain);
    }
}

void judge_shrink(struct trial *t, struct problem *p) {
  struct case_size sizes[CASE_MAX_SIZES];
  int count = case_sizes(t->ex, p->in.index, sizes);
  for (int i = 0; i < count; i++)
    shrink_size(t, p, &sizes[i], size_of(t->ex, &p->in, sizes[i].field));
  for (int k = 0; k < t->ex->param_count; k++)
    if (is_free(&t->ex->params[k], &p->in.args[k]))
      shrink_values(t, p, k);
}
