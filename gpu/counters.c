// SPDX-License-Identifier: Apache-2.0
// The rows of counters.def as data, and the ratios.
#include "gpu/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct gpu_metric_row gpu_metrics[GPU_METRIC_COUNT] = {
#define ROW(name, lua, nsight, unit, kind, source, meaning)                    \
  {lua, nsight, unit, GPU_METRIC_##kind, source, meaning},
#define COUNTER(name, lua, nsight, unit, kind, meaning)                        \
  ROW(name, lua, nsight, unit, kind, GPU_FROM_COUNTS, meaning)
#define RATIO(name, lua, nsight, unit, kind, value, meaning)                   \
  ROW(name, lua, nsight, unit, kind, GPU_FROM_RATIO, meaning)
#define SHAPE(name, lua, nsight, unit, kind, meaning)                          \
  ROW(name, lua, nsight, unit, kind, GPU_FROM_SHAPE, meaning)
#include "gpu/counters.def"
#undef COUNTER
#undef RATIO
#undef SHAPE
#undef ROW
};

int gpu_metric_find(const char *name) {
  for (int m = 0; m < GPU_METRIC_COUNT; m++)
    if (!strcmp(gpu_metrics[m].name, name) ||
        (*name && !strcmp(gpu_metrics[m].nsight, name)))
      return m;
  return -1;
}

static double per(double a, double b) {
  return b != 0 ? a / b : NAN;
}

void gpu_counts_add(struct gpu_counts *sum, struct gpu_line_counts **lines,
                    const struct gpu_counts *c,
                    const struct gpu_line_counts *more) {
  uint32_t had = sum->line_count, count = c->line_count;
  sum->is_cut |= c->is_cut;
  sum->dropped += c->dropped;
  for (int k = 0; k < GPU_COUNT_COUNT; k++)
    sum->count[k] += c->count[k];
  *lines = xrealloc(*lines, ((size_t)had + count + 1) * sizeof **lines);
  if (count)
    memcpy(*lines + had, more, count * sizeof **lines);
  sum->line_count = gpu_line_counts_merge(*lines, had + count);
}

void gpu_counts_of_used(const struct gpu_counts *c,
                        const struct gpu_line_counts *lines,
                        uint64_t out[GPU_COUNT_COUNT]) {
  static const enum gpu_counter of_loads[] = {
      GPU_COUNT_GLOBAL_LD,       GPU_COUNT_GLOBAL_LD_SECTORS,
      GPU_COUNT_GLOBAL_LD_BYTES, GPU_COUNT_ASYNC_COPIES,
      GPU_COUNT_ASYNC_SECTORS,   GPU_COUNT_SECTORS_NEEDED,
  };
  memcpy(out, c->count, GPU_COUNT_COUNT * sizeof *out);
  for (uint32_t n = 0; n < c->line_count; n++)
    for (size_t k = 0; k < sizeof of_loads / sizeof *of_loads; k++)
      if (lines[n].is_unused)
        out[of_loads[k]] -= lines[n].count[of_loads[k]];
}

double gpu_metric_value(enum gpu_metric m,
                        const uint64_t count[GPU_COUNT_COUNT]) {
  if ((int)m < GPU_COUNT_COUNT)
    return (double)count[m];
  switch (m) {
#define PER(a, b)    per(a, b)
#define ACROSS(a, b) per(a, b)
#define C(name)      ((double)count[GPU_COUNT_##name])
#define COUNTER(...)
#define RATIO(name, lua, nsight, unit, kind, value, meaning)                   \
  case GPU_METRIC_##name:                                                      \
    return value;
#define SHAPE(...)
#include "gpu/counters.def"
#undef COUNTER
#undef RATIO
#undef SHAPE
  default: return NAN;
  }
#undef PER
#undef ACROSS
}

double gpu_metric_weight(enum gpu_metric m,
                         const uint64_t count[GPU_COUNT_COUNT]) {
  double weight = NAN;
  switch ((int)m) {
#define PER(a, b)    (weight = (b))
#define ACROSS(a, b) NAN
#define COUNTER(...)
#define RATIO(name, lua, nsight, unit, kind, value, meaning)                   \
  case GPU_METRIC_##name:                                                      \
    (void)(value);                                                             \
    break;
#define SHAPE(...)
#include "gpu/counters.def"
#undef COUNTER
#undef RATIO
#undef SHAPE
#undef PER
#undef ACROSS
#undef C
  default: break;
  }
  return weight;
}

static int by_place(const void *x, const void *y) {
  const struct gpu_line_counts *a = x, *b = y;
  int order = strcmp(a->file, b->file);
  if (!order)
    order = (a->line > b->line) - (a->line < b->line);
  return order ? order : (a->access > b->access) - (a->access < b->access);
}

uint32_t gpu_line_counts_merge(struct gpu_line_counts *rows, uint32_t count) {
  uint32_t kept = 0;
  qsort(rows, count, sizeof *rows, by_place);
  for (uint32_t n = 0; n < count; n++) {
    if (kept && !by_place(&rows[kept - 1], &rows[n])) {
      rows[kept - 1].is_unused &= rows[n].is_unused;
      for (int c = 0; c < GPU_COUNT_COUNT; c++)
        rows[kept - 1].count[c] += rows[n].count[c];
    } else {
      if (kept != n)
        rows[kept] = rows[n];
      kept++;
    }
  }
  return kept;
}
