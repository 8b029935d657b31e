// SPDX-License-Identifier: Apache-2.0
// The counters of a submission's runs, as the exercise's rules want them.
#include "grade/judge_efficiency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"
#include "grade/efficiency.h"
#include "grade/judge_trial.h"

// Registers of the kernel on a real GPU of the checked device's capability; -1
// where nobody knows.
static int count_registers(struct trial *t, const struct gpu_device_info *on,
                           int64_t *spill_bytes) {
  struct nvrtc_program *p = NULL;
  struct err_info e;
  char arch[24];
  int registers = -1;
  const char *digits = strpbrk(on->arch, "0123456789");
  snprintf(arch, sizeof arch, "sm_%s", digits ? digits : "80");
  struct nvrtc_request q = {.source = t->text,
                            .file = source_compile_name(t->source),
                            .arch = arch,
                            .is_cancelled = t->j->options.is_cancelled,
                            .context = t->j->options.context};
  *spill_bytes = -1;
  if (!nvrtc_compile(t->j->nvrtc, &q, &p, &e))
    for (int i = 0; i < p->kernel_count; i++)
      if (!strcmp(p->kernels[i].mangled, t->kernel->mangled)) {
        registers = p->kernels[i].registers;
        *spill_bytes = p->kernels[i].local_bytes;
      }
  nvrtc_program_free(p);
  return registers;
}

// `need` has what the launches have in common.
static void find_occupancy(const struct gpu_occupancy_limits *limits,
                           struct gpu_occupancy_need need, struct counted *c) {
  need.shared_static = c->counts.shared_static;
  need.shared_dynamic = c->counts.shared_dynamic;
  memcpy(need.grid, c->counts.grid, sizeof need.grid);
  memcpy(need.block, c->counts.block, sizeof need.block);
  gpu_occupancy_compute(limits, &need, &c->occupancy);
}

static bool takes_doubles(const struct exercise *ex) {
  for (int k = 0; k < ex->param_count; k++)
    if (ex->params[k].dtype == DTYPE_F64)
      return true;
  return false;
}

// In every case: which one is the largest, a submission could choose.
void judge_efficiency(struct trial *t) {
  bool needs_occupancy = efficiency_needs_occupancy(t->ex);
  struct gpu_device_info info = {0};
  struct gpu_occupancy_limits limits;
  struct gpu_occupancy_need need = {0};
  struct efficiency_case *list =
      xcalloc((size_t)t->counted_count + 1, sizeof *list);
  runner_info(t->j->checked, &info, NULL);
  gpu_occupancy_limits(info.attributes, &limits);
  if (needs_occupancy)
    need.registers = count_registers(t, &info, &need.spill_bytes);
  for (int k = 0; k < t->counted_count; k++) {
    struct counted *c = &t->counted[k];
    if (needs_occupancy)
      find_occupancy(&limits, need, c);
    list[k] = (struct efficiency_case){
        .index = c->index,
        .view = {.counts = &c->counts,
                 .lines = c->lines,
                 .kernel = t->ex->kernel,
                 .source = t->source->text,
                 .file = source_compile_name(t->source),
                 .takes_doubles = takes_doubles(t->ex),
                 .occupancy = needs_occupancy ? &c->occupancy : NULL,
                 .multiprocessors = limits.multiprocessors},
    };
  }
  efficiency_judge(t->v, t->ex, list, t->counted_count);
  free(list);
}
