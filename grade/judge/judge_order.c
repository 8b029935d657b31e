// SPDX-License-Identifier: Apache-2.0
// Results that depend on which thread comes first. Threads that use one
// cell in no order are a race, which the checked device sees in any order. What
// it cannot see is that of an atomic: it puts threads in an order that is none of
// the program's, and who uses what it brings back (a ticket, a place on a list)
// may let that show in the result. Nor is a volatile or relaxed read a race: what
// another thread writes between it and the write that follows is lost. So these run
// once more on a virtual GPU that takes blocks and warps in another order, and others
// after each such read. What is right there, too, may still rely on the lanes of a
// warp in step: where there are such reads, a third run lets lanes part at them.
#include "grade/judge/judge_order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/judge/judge_wrong.h"

enum { OTHER_ORDER = 1 };

enum which { BLOCKS_AND_WARPS, LANES, ORDERS };

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '%' || c == '$';
}

// Is the register of that name in the text, other than at `own`?
static bool has_other_use(const char *text, const char *own, size_t length) {
  char name[32];
  if (length >= sizeof name)
    return true;
  memcpy(name, own, length);
  name[length] = 0;
  for (const char *c = text; (c = strstr(c, name)); c += length)
    if (c != own && !is_word(c[length]))
      return true;
  return false;
}

// Does an atomic of the program bring back something that is used? In PTX it is
// "atom.global.add.u32 %r1, [%rd4], 1;", and %r1 stands elsewhere as well.
static bool uses_tickets(const struct nvrtc_program *p) {
  const char *text = p && p->is_ptx ? p->code : NULL;
  for (const char *c = text; c && (c = strstr(c, "atom.")); c++) {
    const char *to = c + strcspn(c, " \t");
    to += strspn(to, " \t");
    size_t length = 0;
    while (is_word(to[length]))
      length++;
    if ((c == text || !is_word(c[-1])) && *to == '%' &&
        has_other_use(text, to, length))
      return true;
  }
  return false;
}

// Is there a read that says it may meet others' writes? "ld.volatile.global.u32"
static bool has_strong_reads(const struct nvrtc_program *p) {
  static const char *const kinds[] = {"ld.volatile", "ld.relaxed",
                                      "ld.acquire"};
  const char *text = p && p->is_ptx ? p->code : "";
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    size_t n = strlen(kinds[k]);
    for (const char *c = text; (c = strstr(c, kinds[k])); c += n)
      if ((c == text || !is_word(c[-1])) && !str_starts(c + n, ".local"))
        return true;
  }
  return false;
}

static uint64_t seed_of(const struct judge *j, enum which which) {
  uint64_t other = j->options.schedule_seed + OTHER_ORDER;
  return which == LANES ? other | GPU_SCHEDULE_APART : other;
}

static struct runner *open_other(struct judge *j, enum which which) {
  struct runner **to = which == LANES ? &j->apart : &j->other_order;
  struct err_info e;
  struct runner_options run = {
      .device = judge_checked_device,
      .program = j->options.program,
      .schedule_seed = seed_of(j, which),
      .is_cancelled = j->options.is_cancelled,
      .context = j->options.context,
      .cpu_limit_s = j->options.cpu_limit_s,
  };
  if (!*to && runner_open(&run, to, &e))
    *to = NULL; // a machine that cannot judges as before
  return *to;
}

static bool is_asked(const struct trial *t, enum which which) {
  return !exercise_is_lua(t->ex->kind) && !t->j->options.skips_rules &&
         (has_strong_reads(t->program) ||
          (which == BLOCKS_AND_WARPS && uses_tickets(t->program)));
}

// What the exercise's own solution is worth there: nobody is blamed for an order
// in which that is wrong.
static bool solution_is_right(struct trial *t, int i, struct runner *on) {
  struct judge_compile c = {t->ex->solution, "solution.cu", on, false};
  struct gpu_work charged = t->charged;
  bool is_right = judge_other_is_right(t, &c, i);
  t->charged = charged;
  return is_right;
}

static void keep(struct trial *t, int i, enum which which) {
  struct problem p;
  struct err_info e;
  if (t->v->cases[i].is_hidden || judge_make_problem(t, i, &p, NULL, &e))
    return;
  judge_keep(t, &p, seed_of(t->j, which));
  judge_problem_free(&p);
}

// Only what holds of every program that has the one and not the other.
static const char *explain(const struct nvrtc_program *p, enum which which) {
  if (which == LANES)
    return "The lanes of a warp need not run in step, and a volatile or "
           "relaxed access makes none of them wait: where a lane reads what "
           "another lane has written, __syncwarp() belongs between the two.";
  if (!has_strong_reads(p))
    return "An atomic brings back what was there before, and that depends on "
           "which thread comes first: nothing promises an order. It must not "
           "show in the result.";
  if (!uses_tickets(p))
    return "Between a volatile or relaxed read and the write after it other "
           "threads may write, and nothing promises an order: an atomic does "
           "both in one step.";
  return "Nothing promises which thread comes first. It must not show in the "
         "result.";
}

// Said once, of the first case.
static void tell(struct trial *t, int i, enum which which) {
  const struct verdict_case *c = &t->v->cases[i];
  struct verdict_diagnostic *d = verdict_add(
      t->v, "wrong-result", "depends-on-order", "%s: %s",
      c->is_hidden ? "a hidden case" : c->name,
      which == LANES ? "right while the lanes of each warp run in step, and "
                       "wrong where they do not"
                     : "right in one order of blocks and warps, and wrong in "
                       "another");
  d->order = i;
  d->explain = xstrdup(explain(t->program, which));
}

static void judge_order(struct trial *t, enum which which) {
  struct runner *on = is_asked(t, which) ? open_other(t->j, which) : NULL;
  struct judge_candidate there = {on, t->program, t->kernels};
  struct gpu_work charged = t->charged;
  int count = 0;
  for (int i = 0; on && i < t->v->case_count; i++) {
    const struct verdict_case *c = &t->v->cases[i];
    struct err_info e;
    if (c->verdict == VERDICT_PASS && !c->is_disputed &&
        judge_try(t, i, &there, NULL, &e) == VERDICT_FAIL &&
        solution_is_right(t, i, on)) {
      t->v->cases[i].is_disputed = true;
      keep(t, i, which);
      if (!count++)
        tell(t, i, which);
    }
  }
  t->charged = charged; // it is we who want to know
}

// Lanes only where the order of blocks and warps is none of the matter.
void judge_orders(struct trial *t) {
  int known = t->v->diagnostic_count;
  for (enum which w = 0; w < ORDERS && t->v->diagnostic_count == known; w++)
    judge_order(t, w);
}

// The run's results in place of what is wanted: the difference is what counts.
static bool is_other(const struct trial *t, int i, const struct problem *p,
                     const struct run_result *a, const struct run_result *b) {
  for (int k = 0; k < t->ex->param_count; k++) {
    const struct exercise_param *param = &t->ex->params[k];
    struct comparison c;
    if (!exercise_is_result(param))
      continue;
    compare_arrays(param->dtype, a->data[k], b->data[k], p->want.args[k].count,
                   &t->ex->cases[i].tolerance, &c);
    if (c.wrong)
      return true;
  }
  return false;
}

bool judge_is_by_order(struct trial *t, int i) {
  enum which which = BLOCKS_AND_WARPS;
  struct runner *on = is_asked(t, which) ? open_other(t->j, which) : NULL;
  struct gpu_work charged = t->charged;
  struct run_result here = {0}, there = {0};
  struct problem p;
  struct err_info e;
  if (!on || judge_make_problem(t, i, &p, NULL, &e))
    return false;
  bool is_by_order =
      !judge_launch(t, judge_own_code(t), &p, 0, &here, &e) && here.has_data &&
      !here.outcome &&
      !judge_launch(t, (struct judge_code){on, t->program, &t->kernels}, &p, 0,
                    &there, &e) &&
      there.has_data && !there.outcome && is_other(t, i, &p, &here, &there);
  t->charged = charged;
  run_result_free(&here);
  run_result_free(&there);
  judge_problem_free(&p);
  return is_by_order;
}
