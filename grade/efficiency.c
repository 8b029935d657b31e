// SPDX-License-Identifier: Apache-2.0
// How well a submission that is right uses the machine.
#include "grade/efficiency.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool efficiency_parse(const char *text, struct efficiency_rule *out,
                      struct err_info *e) {
  char counter[64], relation[3], tail;
  double limit;
  if (sscanf(text, "%63[a-z_0-9] %2[<>=] %lf%c", counter, relation, &limit,
             &tail) != 3 ||
      (strcmp(relation, "<=") && strcmp(relation, ">="))) {
    err_set(e, ERR_ARGUMENT, "\"%s\" is not \"counter <= number\"", text);
    return false;
  }
  int m = gpu_metric_find(counter);
  if (m < 0) {
    err_set(e, ERR_ARGUMENT,
            "there is no counter \"%s\"; cuda.counters() lists them", counter);
    return false;
  }
  *out = (struct efficiency_rule){.text = xstrdup(text),
                                  .metric = m,
                                  .is_least = *relation == '>',
                                  .limit = limit};
  return true;
}

void efficiency_rules_free(struct efficiency_rule *rules, int count) {
  for (int i = 0; i < count; i++)
    free(rules[i].text);
  free(rules);
}

bool efficiency_needs_occupancy(const struct exercise *ex) {
  for (int i = 0; i < ex->rule_count; i++)
    if (gpu_metrics[ex->rules[i].metric].source == GPU_FROM_SHAPE)
      return true;
  return false;
}

static double measure(const struct efficiency_rule *r,
                      const struct gpu_count_view *view) {
  enum gpu_metric m = (enum gpu_metric)r->metric;
  if (gpu_metrics[m].source != GPU_FROM_SHAPE)
    return gpu_metric_value(m, view->counts->count);
  return view->occupancy ? gpu_occupancy_value(view->occupancy, m) : NAN;
}

static void add_notes(struct verdict *v, const struct gpu_count_view *view) {
  struct gpu_count_note notes[GPU_MAX_COUNT_NOTES];
  int count = gpu_count_notes(view, notes);
  for (int n = 0; n < count; n++) {
    if (!notes[n].line)
      continue; // sizes are the exercise's choice
    struct verdict_diagnostic *d =
        verdict_add(v, "efficiency", notes[n].code, "%s", notes[n].text);
    d->severity = GPU_NOTE;
    d->line = notes[n].line;
  }
}

void efficiency_judge(struct verdict *v, const struct exercise *ex,
                      const struct gpu_count_view *view) {
  bool is_broken = false;
  v->rules = xcalloc((size_t)ex->rule_count + 1, sizeof *v->rules);
  for (int i = 0; i < ex->rule_count; i++) {
    const struct efficiency_rule *r = &ex->rules[i];
    double value = measure(r, view);
    bool keeps = r->is_least ? value >= r->limit : value <= r->limit;
    v->rules[v->rule_count++] =
        (struct verdict_rule){.rule = xstrdup(r->text),
                              .counter = gpu_metrics[r->metric].name,
                              .value = value,
                              .verdict = isnan(value) ? VERDICT_NOT_RUN
                                         : keeps      ? VERDICT_PASS
                                                      : VERDICT_FAIL};
    is_broken |= !isnan(value) && !keeps;
  }
  if (is_broken)
    add_notes(v, view);
}
