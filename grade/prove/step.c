// SPDX-License-Identifier: Apache-2.0
// Proves an exercise with its own starter, solution and mutants.
#include "grade/prove/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct verdict *step_judge(struct judge *j, struct exercise *ex,
                           const char *text) {
  struct source s;
  char *refused;
  source_from_text(exercise_solution_name(ex->kind), text, strlen(text), &s,
                   &refused);
  struct verdict *v = judge_run(j, ex, &s, refused);
  free(refused);
  source_free(&s);
  return v;
}

char *step_describe(const struct verdict *v) {
  if (!v->diagnostic_count)
    return xstrdup(verdict_text(v->verdict));
  const struct verdict_diagnostic *d = &v->diagnostics[0];
  if (d->line)
    return xasprintf("%s: line %d: %s", verdict_text(v->verdict), d->line,
                     d->message);
  return xasprintf("%s: %s", verdict_text(v->verdict), d->message);
}

bool step_is_caught(const struct verdict *v) {
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

int step_count(const struct exercise *ex) {
  return 2 + ex->mutant_count;
}

// A wrong kernel is caught when it compiles and is then found wrong. One that
// no device sees must be recognised by its output.
static bool holds_for_mutant(const struct exercise_mutant *m,
                             const struct verdict *v) {
  return m->breaks ? breaks_only(v, m->breaks)
                   : step_is_caught(v) && is_explained(v);
}

void step_run(struct judge *j, struct exercise *ex, int i, struct step *out) {
  const struct exercise_mutant *m = i < 2 ? NULL : &ex->mutants[i - 2];
  struct verdict *v = step_judge(j, ex,
                                 m        ? m->source
                                 : i == 1 ? ex->solution
                                          : ex->starter);
  out->what = m ? "mutant" : i == 1 ? "solution" : "starter";
  out->name = m ? m->name : i == 1 ? "passes" : "fails";
  out->holds = m        ? holds_for_mutant(m, v)
               : i == 1 ? v->verdict == VERDICT_PASS && keeps_rules(v)
                        : step_is_caught(v);
  out->is_skipped = v->verdict == VERDICT_SKIPPED;
  out->how = step_describe(v);
  out->exit_code = v->verdict == VERDICT_ERROR     ? 3
                   : out->holds || out->is_skipped ? 0
                                                   : 2;
  verdict_free(v);
}
