// SPDX-License-Identifier: Apache-2.0
// Proves an exercise with its own starter, solution and mutants.
#include "grade/proof.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct proof {
  struct judge *j;
  struct exercise *ex;
  void (*show)(void *context, const struct proof_step *p);
  void *context;
  int code;
};

static struct verdict *judge_text(struct proof *p, const char *text) {
  struct source s;
  char *refused;
  source_from_text(exercise_solution_name(p->ex->kind), text, strlen(text), &s,
                   &refused);
  struct verdict *v = judge_run(p->j, p->ex, &s, refused);
  free(refused);
  source_free(&s);
  return v;
}

// "fail: line 4: write out of bounds ..."
static char *describe(const struct verdict *v) {
  if (!v->diagnostic_count)
    return xstrdup(verdict_text(v->verdict));
  const struct verdict_diagnostic *d = &v->diagnostics[0];
  if (d->line)
    return xasprintf("%s: line %d: %s", verdict_text(v->verdict), d->line,
                     d->message);
  return xasprintf("%s: %s", verdict_text(v->verdict), d->message);
}

static void show(struct proof *p, const char *what, const char *name,
                 bool holds, const struct verdict *v) {
  char *how = describe(v);
  struct proof_step step = {what, name, holds, how};
  p->show(p->context, &step);
  free(how);
  int code = v->verdict == VERDICT_ERROR ? 3 : holds ? 0 : 2;
  p->code = code > p->code ? code : p->code;
}

// A wrong kernel is caught when it compiles and is then found wrong. One that
// no device sees must be recognised by its output.
static bool is_caught(const struct verdict *v) {
  return v->verdict == VERDICT_FAIL || v->verdict == VERDICT_TIMEOUT ||
         v->verdict == VERDICT_CRASH;
}

static bool is_explained(const struct verdict *v) {
  for (int i = 0; i < v->diagnostic_count; i++) {
    const struct verdict_diagnostic *d = &v->diagnostics[i];
    if (d->severity == GPU_ERROR && d->explain)
      return true;
  }
  return false;
}

// An exercise must not ask for more than its own solution does.
static bool keeps_rules(const struct verdict *v) {
  for (int i = 0; i < v->rule_count; i++)
    if (v->rules[i].verdict != VERDICT_PASS)
      return false;
  return true;
}

// A mutant that is there for a rule breaks it; rules are asked of right results.
static bool breaks_only(const struct verdict *v, const char *rule) {
  bool is_broken = false;
  for (int i = 0; i < v->rule_count; i++)
    is_broken |=
        v->rules[i].verdict == VERDICT_FAIL && !strcmp(v->rules[i].rule, rule);
  return is_broken && v->verdict == VERDICT_FAIL;
}

int proof_run(struct judge *j, struct exercise *ex,
              void (*show_step)(void *context, const struct proof_step *p),
              void *context) {
  struct proof p = {j, ex, show_step, context, 0};
  struct verdict *v = judge_text(&p, ex->starter);
  show(&p, "starter", "fails", is_caught(v), v);
  verdict_free(v);
  v = judge_text(&p, ex->solution);
  show(&p, "solution", "passes", v->verdict == VERDICT_PASS && keeps_rules(v),
       v);
  verdict_free(v);
  for (int i = 0; i < ex->mutant_count; i++) {
    v = judge_text(&p, ex->mutants[i].source);
    const char *rule = ex->mutants[i].breaks;
    bool holds = rule ? breaks_only(v, rule) : is_caught(v) && is_explained(v);
    show(&p, "mutant", ex->mutants[i].name, holds, v);
    verdict_free(v);
  }
  return p.code;
}
