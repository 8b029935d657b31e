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

double gpu_metric_value(enum gpu_metric m,
                        const uint64_t count[GPU_COUNT_COUNT]) {
  if ((int)m < GPU_COUNT_COUNT)
    return (double)count[m];
  switch (m) {
#define PER(a, b) per(a, b)
#define C(name)   ((double)count[GPU_COUNT_##name])
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
}

static int by_place(const void *x, const void *y) {
  const struct gpu_line_counts *a = x, *b = y;
  int order = strcmp(a->file, b->file);
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

uint32_t gpu_line_counts_merge(struct gpu_line_counts *rows, uint32_t count) {
  uint32_t kept = 0;
  qsort(rows, count, sizeof *rows, by_place);
  for (uint32_t n = 0; n < count; n++) {
    if (kept && !by_place(&rows[kept - 1], &rows[n])) {
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
