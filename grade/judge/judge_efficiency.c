// SPDX-License-Identifier: Apache-2.0
// The counters of a submission's runs, as the exercise's rules want them.
#include "grade/judge/judge_efficiency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"
#include "grade/efficiency.h"
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

// In every case: which one is the largest, a submission could choose.
void judge_efficiency(struct trial *t) {
  if (exercise_is_lua(t->ex->kind)) {
    judge_calls(t);
    return;
  }
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
