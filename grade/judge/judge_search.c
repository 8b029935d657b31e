// SPDX-License-Identifier: Apache-2.0
// Looks for a failure that may be shown, where a hidden case alone has one.
//
// What is tried depends on the exercise's visible cases and on nothing else: the
// seeds have no secret, no course and no learner in them, and the sizes lie
// between those of visible cases. So what is shown is what anybody with the
// exercise's folder could have found.
#include "grade/judge/judge_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/judge/case_size.h"
#include "grade/judge/cost.h"
#include "grade/judge/diagnose.h"
#include "grade/judge/judge_shrink.h"

// A process begins for each run in Lua.
enum { TRIES = 48, TRIES_IN_LUA = 12, SHOWN_VALUES = 8 };

// The seed of inputs number `k`: the same for each learner, course and secret.
static void make_seed(const struct exercise *ex, int k, struct seed *out) {
  static const struct seed public;
  char *name = xasprintf("public inputs %d", k);
  struct seed_for who = {.exercise = ex->name, .name = name};
  seed_derive(&public, &who, out);
  free(name);
}

// ---- Whether ----

static bool is_asked(const struct trial *t) {
  bool is_hidden_wrong = false;
  for (int i = 0; i < t->v->case_count; i++) {
    const struct verdict_case *c = &t->v->cases[i];
    if (!c->is_hidden && c->verdict != VERDICT_PASS)
      return false;
    is_hidden_wrong |= c->is_hidden && (c->verdict == VERDICT_FAIL ||
                                        c->verdict == VERDICT_CRASH);
  }
  return is_hidden_wrong && t->v->verdict != VERDICT_ERROR &&
         !t->j->options.is_brief;
}

// ---- What is tried ----

// Visible case number k, again and again: an exercise has one (exercise.c).
static int choose_case(const struct exercise *ex, int k) {
  int i = -1;
  for (int left = k; left >= 0; left -= !ex->cases[i].is_hidden)
    i = i + 1 < ex->case_count ? i + 1 : 0;
  return i;
}

// From the second round on one of its sizes is another one.
static void choose_size(const struct exercise *ex, int i, int k,
                        const struct seed *seed, struct case_changes *out) {
  enum { STREAM = 0x5175e };
  struct case_size sizes[CASE_MAX_SIZES];
  int count = case_sizes(ex, i, sizes);
  uint64_t drawn[2];
  *out = (struct case_changes){0};
  if (k < ex->case_count || !count)
    return;
  seed_fill(seed, STREAM, drawn, sizeof drawn);
  const struct case_size *s = &sizes[drawn[0] % (uint64_t)count];
  out->count = 1;
  strcpy(out->at[0].field, s->field);
  out->at[0].value =
      case_size_at(s, (int64_t)(drawn[1] % (uint64_t)case_size_count(s)));
}

static bool try_number(struct trial *t, int k, struct problem *p) {
  struct run_result r;
  struct case_changes changes;
  struct seed seed;
  int i = choose_case(t->ex, k);
  make_seed(t->ex, k, &seed);
  choose_size(t->ex, i, k, &seed, &changes);
  if (!judge_make_changed(t, i, &changes, &seed, p))
    return false;
  if (judge_is_failing(t, p, &r)) {
    run_result_free(&r);
    return true;
  }
  judge_problem_free(p);
  return false;
}

// ---- What is told ----

// "n = 33, x = {0, 0, 4}": numbers, and arrays that are short.
static char *say_inputs(const struct exercise *ex,
                        const struct case_input *in) {
  struct str s = STR_INIT;
  for (int k = 0; k < ex->param_count; k++) {
    const struct exercise_param *p = &ex->params[k];
    const struct case_arg *a = &in->args[k];
    char number[DIAGNOSE_NUMBER];
    bool is_input = p->direction != PARAM_OUT && p->direction != PARAM_SCRATCH;
    if (!is_input || a->count > SHOWN_VALUES)
      continue;
    str_addf(&s, "%s%s = ", s.len ? ", " : "", p->name);
    if (!a->data) {
      str_add(&s, diagnose_number(number, a->number));
      continue;
    }
    for (size_t n = 0; n < a->count; n++)
      str_addf(&s, "%s%s", n ? ", " : "{",
               diagnose_number(number, compare_element(p->dtype, a->data, n)));
    str_add(&s, "}");
  }
  char *text = s.len ? str_take(&s) : xstrdup("");
  str_free(&s);
  return text;
}

// 'case "one block" with n = 33'
static char *say_case(const struct exercise *ex, const struct case_input *in) {
  struct str s = STR_INIT;
  str_addf(&s, "case \"%s\"", ex->cases[in->index].name);
  for (int k = 0; k < in->changes.count; k++)
    str_addf(&s, "%s%s = %lld", k ? ", " : " with ", in->changes.at[k].field,
             (long long)in->changes.at[k].value);
  return str_take(&s);
}

// "3 of 33 values wrong, the first at out[30]: got 0, want 4"
static char *say_wrong(const struct trial *t, const struct problem *p,
                       const struct run_result *r) {
  struct verdict_case c = {0};
  char got[DIAGNOSE_NUMBER], want[DIAGNOSE_NUMBER], *text = NULL;
  if (r->has_data && !judge_compare(t->ex, p->in.index, &p->want, r, &c))
    text =
        c.mismatch.was_never_written
            ? xasprintf("%zu of %zu values wrong, the first at %s[%zu]: it "
                        "was never written",
                        c.mismatch.wrong, c.mismatch.count, c.mismatch.array,
                        c.mismatch.index)
            : xasprintf("%zu of %zu values wrong, the first at %s[%zu]: got "
                        "%s, want %s",
                        c.mismatch.wrong, c.mismatch.count, c.mismatch.array,
                        c.mismatch.index, diagnose_number(got, c.mismatch.got),
                        diagnose_number(want, c.mismatch.want));
  free(c.mismatch.array);
  return text;
}

// A mistake that the device saw, in the words that a case has for it.
static char *say_finding(const struct trial *t, const struct problem *p,
                         const struct run_result *r, int *line) {
  struct verdict *v = verdict_new(t->ex->name, "", "");
  struct diagnose_case q = {
      .exercise = t->ex,
      .index = p->in.index,
      .input = &p->in,
      .source = t->source->text,
      .file = source_compile_name(t->source),
      .kernels = &t->kernels,
  };
  char *text = NULL;
  if (!exercise_is_lua(t->ex->kind))
    diagnose_findings(v, &q, r);
  for (int i = 0; i < v->diagnostic_count && !text; i++)
    if (v->diagnostics[i].severity == GPU_ERROR) {
      text = xstrdup(v->diagnostics[i].message);
      *line = v->diagnostics[i].line;
    }
  verdict_free(v);
  return text;
}

static void tell(struct trial *t, const struct problem *p) {
  struct run_result r;
  int line = 0;
  if (!judge_is_failing(t, p, &r))
    return;
  char *what = say_finding(t, p, &r, &line);
  what = what ? what : say_wrong(t, p, &r);
  char *where = say_case(t->ex, &p->in), *inputs = say_inputs(t->ex, &p->in);
  if (what) {
    struct verdict_diagnostic *d =
        verdict_add(t->v, "wrong-result", "public-case",
                    "on other inputs of %s: %s", where, what);
    d->severity = GPU_NOTE;
    judge_keep(t, p, t->j->options.schedule_seed);
    d->line = line;
    d->order = p->in.index;
    d->explain = xasprintf(
        "The hidden case's inputs stay hidden. These were drawn anew, from a "
        "seed that everybody has, and made small%s%s.",
        *inputs ? ": " : "", inputs);
  }
  free(inputs);
  free(where);
  free(what);
  run_result_free(&r);
}

void judge_search(struct trial *t) {
  if (!is_asked(t))
    return;
  struct gpu_work charged = t->charged;
  struct str lua_output = t->lua_output;
  int tries = exercise_is_lua(t->ex->kind) ? TRIES_IN_LUA : TRIES;
  t->charged = (struct gpu_work){0};
  t->lua_output = (struct str)STR_INIT;
  for (int k = 0; k < tries && t->charged.all < COST_OF_LAUNCH; k++) {
    struct problem p;
    if (!try_number(t, k, &p))
      continue;
    judge_shrink(t, &p);
    tell(t, &p);
    judge_problem_free(&p);
    break;
  }
  str_free(&t->lua_output);
  t->lua_output = lua_output;
  t->charged = charged;
}
