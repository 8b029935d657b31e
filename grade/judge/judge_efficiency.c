// SPDX-License-Identifier: Apache-2.0
// The counters of a submission's runs, as the exercise's rules want them.
#include "grade/judge/judge_efficiency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"
#include "grade/judge/efficiency.h"
#include "grade/judge/judge_requires.h"
#include "grade/judge/judge_trial.h"

// The submission for a real GPU of the checked device's capability, which tells
// registers; NULL where nobody knows.
static struct nvrtc_program *compile_cubin(struct trial *t,
                                           const struct gpu_device_info *on) {
  struct nvrtc_program *p = NULL;
  struct err_info e;
  char arch[24];
  const char *digits = strpbrk(on->arch, "0123456789");
  snprintf(arch, sizeof arch, "sm_%s", digits ? digits : "80");
  struct nvrtc_request q = {.source = t->text,
                            .file = source_compile_name(t->source),
                            .arch = arch,
                            .is_cancelled = t->j->options.is_cancelled,
                            .context = t->j->options.context};
  if (!nvrtc_compile(t->j->nvrtc, &q, &p, &e))
    return p;
  nvrtc_program_free(p);
  return NULL;
}

static void find_occupancy(const struct gpu_occupancy_limits *limits,
                           const struct nvrtc_program *cubin,
                           const struct gpu_counts *c,
                           struct gpu_occupancy *out) {
  struct gpu_occupancy_need need = {
      .shared_static = c->shared_static,
      .shared_dynamic = c->shared_dynamic,
      .registers = -1,
      .spill_bytes = -1,
  };
  memcpy(need.grid, c->grid, sizeof need.grid);
  memcpy(need.block, c->block, sizeof need.block);
  for (int i = 0; cubin && i < cubin->kernel_count; i++)
    if (!strcmp(cubin->kernels[i].mangled, c->function)) {
      need.registers = cubin->kernels[i].registers;
      need.spill_bytes = cubin->kernels[i].local_bytes;
    }
  gpu_occupancy_compute(limits, &need, out);
}

static bool takes_doubles(const struct exercise *ex) {
  for (int k = 0; k < ex->param_count; k++)
    if (ex->params[k].dtype == DTYPE_F64)
      return true;
  return false;
}

static struct gpu_occupancy *
make_kinds(const struct gpu_occupancy_limits *limits,
           const struct nvrtc_program *cubin, const struct counted *c) {
  struct gpu_occupancy *kinds = xcalloc((size_t)c->count, sizeof *kinds);
  for (int n = 0; n < c->count; n++)
    find_occupancy(limits, cubin, &c->of[n].counts, &kinds[n]);
  return kinds;
}

static struct gpu_count_view view_of(struct trial *t,
                                     const struct run_counts *sum,
                                     uint32_t multiprocessors) {
  return (struct gpu_count_view){
      .counts = &sum->counts,
      .lines = sum->lines,
      .kernel = t->ex->kernel,
      .source = t->source->text,
      .file = source_compile_name(t->source),
      .takes_doubles = takes_doubles(t->ex),
      .multiprocessors = multiprocessors,
  };
}

// What the submission's Lua asked for.
static void judge_calls(struct trial *t) {
  struct efficiency_case *list =
      xcalloc((size_t)t->counted_count + 1, sizeof *list);
  for (int k = 0; k < t->counted_count; k++)
    list[k] = (struct efficiency_case){.index = t->counted[k].index,
                                       .calls = &t->counted[k].calls};
  efficiency_judge(t->v, t->ex, list, t->counted_count);
  free(list);
}

// ---- Which loads feed a result ----

static void take_counts(struct run_result *r, struct counted *c) {
  for (int n = 0; n < c->count; n++)
    free(c->of[n].lines);
  free(c->of);
  c->of = r->counts;
  c->count = r->count_count;
  r->counts = NULL;
  r->count_count = 0;
}

// Runs a case again, followed, and takes what is counted then. Where that does
// not come to its end, a goal has not been shown to be reached.
static bool follow(struct trial *t, struct counted *c, bool is_goal) {
  struct run_result r = {0};
  struct err_info e = {0};
  struct problem p;
  enum err err = judge_take_problem(t, c->index, &p, &e);
  if (err) {
    verdict_set_error(t->v, BLAME_USAGE, err, e.text);
    return false;
  }
  t->is_fed = true;
  err = judge_launch(t, judge_own_code(t), &p, 0, &r, &e);
  t->is_fed = false;
  enum verdict_kind *verdict = &t->v->cases[c->index].verdict;
  bool is_known = !err && !r.outcome && r.count_count;
  if (is_known)
    take_counts(&r, c);
  else if (err)
    *verdict = judge_not_run(t, c->index, &p, err, &e);
  else if (is_goal)
    *verdict = judge_untraced(t, c->index, &p, &r);
  run_result_free(&r);
  judge_problem_free(&p);
  return is_known || (!err && !is_goal);
}

// A ratio leaves out the loads that feed no result; which ones these are, is
// asked only where it matters. False: of a case nobody knows, which says so.
static bool follow_cases(struct trial *t) {
  bool are_known = true;
  for (int k = 0; k < t->counted_count && are_known; k++) {
    struct counted *c = &t->counted[k];
    struct run_counts sum = {0};
    bool is_goal;
    run_counts_add_up(c->of, c->count, &sum);
    struct gpu_count_view v = view_of(t, &sum, 0);
    if (efficiency_needs_feeds(t->ex, t->v->cases[c->index].name, &v, &is_goal))
      are_known = follow(t, c, is_goal);
    free(sum.lines);
  }
  return are_known;
}

// In every case: which one is the largest, a submission could choose.
void judge_efficiency(struct trial *t) {
  if (exercise_is_lua(t->ex->kind)) {
    judge_calls(t);
    return;
  }
  if (!follow_cases(t))
    return;
  size_t count = (size_t)t->counted_count;
  struct gpu_device_info info = {0};
  struct gpu_occupancy_limits limits;
  struct nvrtc_program *cubin = NULL;
  bool needs_occupancy = efficiency_needs_occupancy(t->ex);
  struct efficiency_case *list = xcalloc(count + 1, sizeof *list);
  struct run_counts *sums = xcalloc(count + 1, sizeof *sums);
  runner_info(t->j->checked, &info, NULL);
  gpu_occupancy_limits(info.attributes, &limits);
  if (needs_occupancy)
    cubin = compile_cubin(t, &info);
  for (size_t k = 0; k < count; k++) {
    const struct counted *c = &t->counted[k];
    run_counts_add_up(c->of, c->count, &sums[k]);
    list[k] = (struct efficiency_case){
        .index = c->index,
        .view = view_of(t, &sums[k], limits.multiprocessors),
        .kind_count = c->count,
        .kinds = needs_occupancy ? make_kinds(&limits, cubin, c) : NULL,
    };
    list[k].view.occupancy = c->count == 1 ? list[k].kinds : NULL;
  }
  efficiency_judge(t->v, t->ex, list, t->counted_count);
  nvrtc_program_free(cubin);
  for (size_t k = 0; k < count; k++) {
    free((struct gpu_occupancy *)list[k].kinds);
    free(sums[k].lines);
  }
  free(sums);
  free(list);
}
