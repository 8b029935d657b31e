// SPDX-License-Identifier: Apache-2.0
// How well a submission that is right uses the machine.
#include "grade/judge/efficiency.h"

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
  if (efficiency_has_lines(r)) {
    uint64_t used[GPU_COUNT_COUNT];
    gpu_counts_of_used(c->view.counts, c->view.lines, used);
    return gpu_metric_value(m, used);
  }
  if (gpu_metrics[m].source != GPU_FROM_SHAPE)
    return gpu_metric_value(m, c->view.counts->count);
  for (int k = 0; c->kinds && k < c->kind_count; k++) {
    double value = gpu_occupancy_value(&c->kinds[k], m);
    if (!isnan(value) && is_worse(r, value, worst))
      worst = value;
  }
  return worst;
}

// ---- Lines ----

// What breaks a rule in lines of little weight is the edge of something: it may
// be so much of the whole.
#define EDGE (1 / 20.0)

static bool keeps(const struct efficiency_rule *r, double value) {
  return r->is_least ? value >= r->limit : value <= r->limit;
}

// Of one case: what it is measured at, and where.
struct measured {
  double value;
  int line; // 0: the whole
};

// All rows that break the rule weigh together, so that to write one bad access
// as many changes nothing. The line is that of the heaviest.
static struct measured measure_lines(const struct efficiency_rule *r,
                                     const struct gpu_count_view *v) {
  enum gpu_metric m = (enum gpu_metric)r->metric;
  const struct gpu_line_counts *worst = NULL;
  double broken = 0, most = 0;
  for (uint32_t n = 0; n < v->counts->line_count; n++) {
    double value = gpu_metric_value(m, v->lines[n].count);
    double weight = gpu_metric_weight(m, v->lines[n].count);
    if (isnan(value) || keeps(r, value) || v->lines[n].is_unused)
      continue;
    broken += weight;
    if (worst && weight <= most)
      continue;
    worst = &v->lines[n];
    most = weight;
  }
  uint64_t used[GPU_COUNT_COUNT];
  gpu_counts_of_used(v->counts, v->lines, used);
  if (!worst || broken <= EDGE * gpu_metric_weight(m, used))
    return (struct measured){NAN, 0};
  bool is_theirs = !v->file || !strcmp(worst->file, v->file);
  return (struct measured){gpu_metric_value(m, worst->count),
                           is_theirs ? worst->line : 0};
}

static struct measured measure_case(const struct efficiency_rule *r,
                                    const struct efficiency_case *c) {
  struct measured whole = {measure(r, c), 0}, line = {NAN, 0};
  if (r->is_each_line && !isnan(whole.value))
    line = measure_lines(r, &c->view);
  return isnan(line.value) ? whole : line;
}

static bool is_for(const struct efficiency_rule *r, const char *name) {
  for (int i = 0; i < r->case_count; i++)
    if (!strcmp(r->cases[i], name))
      return true;
  return r->case_count == 0;
}

// Which loads are left out matters only where some accesses keep the rule and
// others do not: any part of those that keep it keeps it, too.
static bool is_mixed(const struct efficiency_rule *r,
                     const struct gpu_count_view *v) {
  bool keeps_one = false, breaks_one = false;
  for (uint32_t n = 0; n < v->counts->line_count; n++) {
    double value =
        gpu_metric_value((enum gpu_metric)r->metric, v->lines[n].count);
    if (isnan(value))
      continue;
    keeps_one |= keeps(r, value);
    breaks_one |= !keeps(r, value);
  }
  return keeps_one && breaks_one;
}

bool efficiency_needs_feeds(const struct exercise *ex, const char *name,
                            const struct gpu_count_view *v, bool *is_goal) {
  bool needs = false;
  *is_goal = false;
  for (int i = 0; i < ex->rule_count; i++) {
    const struct efficiency_rule *r = &ex->rules[i];
    if (!efficiency_has_lines(r) || !is_for(r, name) || !is_mixed(r, v))
      continue;
    needs = true;
    *is_goal |= r->is_goal;
  }
  return needs;
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
  const char *name = v->cases[r->worst].name;
  int digits = r->value == trunc(r->value) ? 15 : 6; // a count is whole
  char where[32] = "";
  if (r->line)
    snprintf(where, sizeof where, " in line %d", r->line);
  struct verdict_diagnostic *d =
      isnan(r->value)
          ? verdict_add(v, "goal", "goal", "%s: it is not so in a hidden case",
                        r->rule)
          : verdict_add(v, "goal", "goal", "%s: it is %.*g%s in case \"%s\"",
                        r->rule, digits, r->value, where, name);
  d->line = r->line;
  d->explain =
      xasprintf("The result is right; the goal is not reached: %s", meaning);
  d->order = r->worst;
}

// ---- One rule ----

// A hidden case shows neither line nor value: whoever counts on purpose what lies in
// its inputs would read them there. The worst visible one shows its own, where it
// is no other side of the rule.
static void show_visible(const struct efficiency_rule *r,
                         const struct efficiency_case *list, int shown,
                         struct verdict_rule *out) {
  struct measured x = {NAN, 0};
  if (shown >= 0)
    x = measure_case(r, &list[shown]);
  bool is_same = keeps(r, x.value) == keeps(r, out->value);
  out->line = is_same ? x.line : 0;
  out->value = is_same ? x.value : NAN;
  out->worst = is_same && shown >= 0 ? list[shown].index : out->worst;
}

// In the worst of its cases; cases that miss a goal fail. *noted gets
// the worst visible one's place in the list where one breaks the rule, else -1.
static struct verdict_rule judge_rule(struct verdict *v,
                                      const struct efficiency_rule *r,
                                      const struct efficiency_case *list,
                                      int count, int *noted) {
  struct verdict_rule out = {
      .kind = r->is_goal ? RULE_GOAL : RULE_EFFICIENCY,
      .rule = r->text,
      .counter = name_of(r),
      .value = NAN,
      .points = r->points,
      .is_each_line = r->is_each_line,
      .verdict = VERDICT_NOT_RUN,
  };
  double seen = NAN;
  int shown = -1; // the worst visible one
  for (int i = 0; i < count; i++) {
    struct verdict_case *c = &v->cases[list[i].index];
    if (!is_for(r, c->name))
      continue;
    struct measured x = measure_case(r, &list[i]);
    if (isnan(x.value))
      continue;
    if (is_worse(r, x.value, out.value)) {
      out.value = x.value;
      out.line = x.line;
      out.worst = list[i].index;
    }
    if (!c->is_hidden && is_worse(r, x.value, seen)) {
      seen = x.value;
      shown = i;
    }
    if (r->is_goal && !keeps(r, x.value))
      c->verdict = VERDICT_FAIL;
  }
  *noted = shown >= 0 && !keeps(r, seen) ? shown : -1;
  if (isnan(out.value))
    return out;
  out.verdict = keeps(r, out.value) ? VERDICT_PASS : VERDICT_FAIL;
  if (v->cases[out.worst].is_hidden)
    show_visible(r, list, shown, &out);
  return out;
}

void efficiency_judge(struct verdict *v, const struct exercise *ex,
                      const struct efficiency_case *list, int count) {
  const struct gpu_count_view *blamed = NULL;
  for (int i = 0; i < ex->rule_count; i++) {
    int noted = -1;
    struct verdict_rule r = judge_rule(v, &ex->rules[i], list, count, &noted);
    verdict_add_rule(v, r);
    if (r.verdict != VERDICT_FAIL)
      continue;
    if (r.kind == RULE_GOAL)
      add_missed(v, &r, meaning_of(&ex->rules[i]));
    if (noted >= 0 && !list[noted].calls)
      blamed = &list[noted].view;
  }
  if (blamed)
    add_notes(v, blamed);
}
