// SPDX-License-Identifier: Apache-2.0
// What one submission may cost: the limits, and the words.
#include "grade/judge/cost.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

uint64_t cost_limit(const struct gpu_work *before, uint64_t most) {
  uint64_t left = before->all < most ? most - before->all : 1;
  return left < COST_OF_LAUNCH ? left : COST_OF_LAUNCH;
}

// In millions; what is less than one is left out.
static void add_part(struct str *s, uint64_t units, const char *what) {
  if (units >= 1000000)
    str_addf(s, ", %.0f for %s", (double)units / 1e6, what);
}

void cost_diagnose(struct verdict *v, int order, const char *what,
                   uint64_t limit, const struct gpu_work *w) {
  uint64_t counted = w->loads + w->prints + w->mistakes + w->cells;
  struct str s = STR_INIT;
  bool is_told = true; // all that came before may have been counted as well
  for (int i = 0; i <= order; i++)
    is_told &= !v->cases[i].is_hidden;
  add_part(&s, w->all > counted ? w->all - counted : 0, "instructions");
  add_part(&s, w->loads, "loading the program");
  add_part(&s, w->prints, "printf");
  add_part(&s, w->mistakes, "mistakes");
  add_part(&s, w->cells, "memory watched for races");
  verdict_add(v, err_kind(ERR_TIMEOUT), "cost",
              "%s charged more than %.0f million units of work%s%s", what,
              (double)limit / 1e6, s.len && is_told ? ", in millions: " : "",
              s.len && is_told ? s.data + 2 : "")
      ->order = order;
  str_free(&s);
}
