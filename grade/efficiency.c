// SPDX-License-Identifier: Apache-2.0
// How well a submission that is right uses the machine.
#include "grade/efficiency.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/counters_notes.h"
#include "gpu/occupancy.h"

static const char *name_of(const struct efficiency_rule *r) {
  return r->is_call ? gpu_calls[r->metric].name : gpu_metrics[r->metric].name;
}

static const char *meaning_of(const struct efficiency_rule *r) {
  return r->is_call ? gpu_calls[r->metric].meaning
                    : gpu_metrics[r->metric].meaning;
}

bool efficiency_parse(const char *text, enum exercise_kind kind,
                      struct efficiency_rule *out, struct err_info *e) {
  char counter[64], relation[3], tail;
  double limit;
  if (sscanf(text, "%63[a-z_0-9] %2[<>=] %lf%c", counter, relation, &limit,
             &tail) != 3 ||
      (strcmp(relation, "<=") && strcmp(relation, ">="))) {
    err_set(e, ERR_ARGUMENT, "\"%s\" is not \"counter <= number\"", text);
    return false;
  }
  bool is_call = kind != EXERCISE_CUDA;
  int m = is_call ? gpu_call_find(counter) : gpu_metric_find(counter);
  if (m < 0) {
    err_set(e, ERR_ARGUMENT, "there is no counter \"%s\"; %s lists them",
            counter, is_call ? "?cuda.calls" : "cuda.counters()");
    return false;
  }
  *out = (struct efficiency_rule){.text = xstrdup(text),
                                  .metric = m,
                                  .is_call = is_call,
                                  .is_least = *relation == '>',
                                  .limit = limit};
  return true;
}

void efficiency_rules_free(struct efficiency_rule *rules, int count) {
  for (int i = 0; i < count; i++) {
    free(rules[i].text);
    for (int k = 0; k < rules[i].case_count; k++)
      free(rules[i].cases[k]);
    free(rules[i].cases);
  }
  free(rules);
}

double efficiency_points(const struct exercise *ex) {
  double points = 0;
  for (int i = 0; i < ex->rule_count; i++)
    points += ex->rules[i].points;
  return points;
}

bool efficiency_needs_occupancy(const struct exercise *ex) {
  for (int i = 0; i < ex->rule_count; i++)
    if (!ex->rules[i].is_call &&
        gpu_metrics[ex->rules[i].metric].source == GPU_FROM_SHAPE)
      return true;
  return false;
}

static bool is_worse(const struct efficiency_rule *r, double value,
                     double than) {
  return isnan(than) || (r->is_least ? value < than : value > than);
}

static double measure(const struct efficiency_rule *r,
                      const struct efficiency_case *c) {
  if (r->is_call)
    return c->calls ? (double)c->calls->count[r->metric] : NAN;
  enum gpu_metric m = (enum gpu_metric)r->metric;
  double worst = NAN;
  if (gpu_metrics[m].source != GPU_FROM_SHAPE)
    return gpu_metric_value(m, c->view.counts->count);
  for (int k = 0; c->kinds && k < c->kind_count; k++) {
    double value = gpu_occupancy_value(&c->kinds[k], m);
    if (!isnan(value) && is_worse(r, value, worst))
      worst = value;
  }
  return worst;
}

// ---- Words ----

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

static void add_missed(struct verdict *v, const struct verdict_rule *r,
                       const char *meaning) {
  const struct verdict_case *c = &v->cases[r->worst];
  struct verdict_diagnostic *d =
      c->is_hidden
          ? verdict_add(v, "goal", "goal", "%s: it is %.6g in a hidden case",
                        r->rule, r->value)
          : verdict_add(v, "goal", "goal", "%s: it is %.6g in case \"%s\"",
                        r->rule, r->value, c->name);
  d->explain =
      xasprintf("The result is right; the goal is not reached: %s", meaning);
  d->order = r->worst;
}

// ---- One rule ----

static bool is_for(const struct efficiency_rule *r, const char *name) {
  for (int i = 0; i < r->case_count; i++)
    if (!strcmp(r->cases[i], name))
      return true;
  return r->case_count == 0;
}

static bool keeps(const struct efficiency_rule *r, double value) {
  return r->is_least ? value >= r->limit : value <= r->limit;
}

// In the worst of its cases; cases that miss a goal fail.
static struct verdict_rule judge_rule(struct verdict *v,
                                      const struct efficiency_rule *r,
                                      const struct efficiency_case *list,
                                      int count, int *worst) {
  struct verdict_rule out = {
      .kind = r->is_goal ? RULE_GOAL : RULE_EFFICIENCY,
      .rule = r->text,
      .counter = name_of(r),
      .value = NAN,
      .points = r->points,
      .verdict = VERDICT_NOT_RUN,
  };
  for (int i = 0; i < count; i++) {
    struct verdict_case *c = &v->cases[list[i].index];
    double value = is_for(r, c->name) ? measure(r, &list[i]) : NAN;
    if (isnan(value))
      continue;
    if (is_worse(r, value, out.value)) {
      out.value = value;
      out.worst = list[i].index;
      *worst = i;
    }
    if (r->is_goal && !keeps(r, value))
      c->verdict = VERDICT_FAIL;
  }
  if (!isnan(out.value))
    out.verdict = keeps(r, out.value) ? VERDICT_PASS : VERDICT_FAIL;
  return out;
}

void efficiency_judge(struct verdict *v, const struct exercise *ex,
                      const struct efficiency_case *list, int count) {
  const struct gpu_count_view *blamed = NULL;
  for (int i = 0; i < ex->rule_count; i++) {
    int worst = 0;
    struct verdict_rule r = judge_rule(v, &ex->rules[i], list, count, &worst);
    verdict_add_rule(v, r);
    if (r.verdict != VERDICT_FAIL)
      continue;
    if (r.kind == RULE_GOAL)
      add_missed(v, &r, meaning_of(&ex->rules[i]));
    if (!list[worst].calls)
      blamed = &list[worst].view;
  }
  if (blamed)
    add_notes(v, blamed);
}
