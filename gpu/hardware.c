// SPDX-License-Identifier: Apache-2.0
// The rows of hardware.def as data, and adding up launches.
#include "gpu/hardware.h"

#include <math.h>
#include <string.h>

#include "gpu/counters.h"

// Counters are in both enums of counters.h, by one number.
#define METRIC(row)        METRIC_##row
#define METRIC_NONE        (-1)
#define COUNTER(name, ...) METRIC_##name = (int)GPU_COUNT_##name,
#define RATIO(name, ...)   METRIC_##name = (int)GPU_METRIC_##name,
#define SHAPE(name, ...)   METRIC_##name = (int)GPU_METRIC_##name,
enum {
#include "gpu/counters.def"
};
#undef COUNTER
#undef RATIO
#undef SHAPE

const struct gpu_hardware_metric gpu_hardware_metrics[GPU_HARDWARE_COUNT] = {
#define HARDWARE(name, lua, nsight, row, unit, meaning)                        \
  {lua, nsight, unit, meaning, METRIC(row)},
#include "gpu/hardware.def"
#undef HARDWARE
};

int gpu_hardware_find(const char *name) {
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++)
    if (!strcmp(gpu_hardware_metrics[m].name, name) ||
        !strcmp(gpu_hardware_metrics[m].nsight, name))
      return m;
  return -1;
}

bool gpu_hardware_is_alike(const struct gpu_hardware *a,
                           const struct gpu_hardware *b) {
  return !strcmp(a->function, b->function) &&
         !memcmp(a->grid, b->grid, sizeof a->grid) &&
         !memcmp(a->block, b->block, sizeof a->block) &&
         a->shared_dynamic == b->shared_dynamic;
}

static bool is_sum(int m) {
  const char *end = strrchr(gpu_hardware_metrics[m].nsight, '.');
  return end && !strcmp(end, ".sum");
}

// The one ratio whose parts are counted, too.
static void mend_ratios(struct gpu_hardware *sum) {
  double lanes =
      sum->value[GPU_HARDWARE_THREAD_INST] / sum->value[GPU_HARDWARE_INST];
  if (isfinite(lanes))
    sum->value[GPU_HARDWARE_ACTIVE_LANES] = lanes;
}

void gpu_hardware_add(struct gpu_hardware *sum,
                      const struct gpu_hardware *more) {
  double a = sum->value[GPU_HARDWARE_DURATION];
  double b = more->value[GPU_HARDWARE_DURATION];
  if (!(a + b > 0)) { // no clock: by launches
    a = sum->launches;
    b = more->launches;
  }
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++) {
    if (is_sum(m))
      sum->value[m] += more->value[m];
    else
      sum->value[m] = (a * sum->value[m] + b * more->value[m]) / (a + b);
  }
  mend_ratios(sum);
  sum->launches += more->launches;
  sum->is_cold &= more->is_cold;
  if (more->passes > sum->passes)
    sum->passes = more->passes;
}
