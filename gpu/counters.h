// SPDX-License-Identifier: Apache-2.0
// What a counted launch tells: its counters, for the whole and for each source
// line; ratios computed from them; how many blocks a multiprocessor holds.
// gpu/counters.def lists them all.
#ifndef GPU_COUNTERS_H
#define GPU_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_counter {
#define COUNTER(name, ...) GPU_COUNT_##name,
#define RATIO(...)
#define SHAPE(...)
#include "gpu/counters.def"
#undef COUNTER
#undef RATIO
#undef SHAPE
  GPU_COUNT_COUNT
};

// All rows: the counters first, then ratios, then shapes.
enum gpu_metric {
  GPU_METRIC_LAST_COUNTER = GPU_COUNT_COUNT - 1,
#define COUNTER(...)
#define RATIO(name, ...) GPU_METRIC_##name,
#define SHAPE(name, ...) GPU_METRIC_##name,
#include "gpu/counters.def"
#undef COUNTER
#undef RATIO
#undef SHAPE
  GPU_METRIC_COUNT
};

enum gpu_metric_kind { GPU_METRIC_EXACT, GPU_METRIC_CLOSE, GPU_METRIC_OWN };
enum gpu_metric_source { GPU_FROM_COUNTS, GPU_FROM_RATIO, GPU_FROM_SHAPE };

struct gpu_metric_row {
  const char *name;   // in Lua
  const char *nsight; // Nsight Compute's name, or ""
  const char *unit;
  enum gpu_metric_kind kind;
  enum gpu_metric_source source;
  const char *meaning; // one sentence
};

// GPU_METRIC_COUNT rows.
extern const struct gpu_metric_row gpu_metrics[];

// The row of that Lua or Nsight Compute name; -1 when there is none.
int gpu_metric_find(const char *name);

// ---- What a device answers ----

enum { GPU_COUNT_FILE_BYTES = 112 };

// A source line's share. Lines are in the order of their files' names. Of a
// launch that asks for it (GPU_LAUNCH_ACCESSES) each instruction that reaches
// memory has a row of its own: a line may have several, and a function that is
// inlined in many places the same line in all of them.
struct gpu_line_counts {
  char file[GPU_COUNT_FILE_BYTES]; // "" where the compiler named none
  int32_t line;
  uint32_t access : 31; // a number of that instruction; 0: none
  // It loads, and of what it loaded nothing is in a result (GPU_LAUNCH_FEEDS).
  uint32_t is_unused : 1;
  uint64_t count[GPU_COUNT_COUNT];
};

// Launches of one kernel with the same grid, block and shared memory are added
// up in one.
struct gpu_counts {
  char function[256]; // mangled
  uint64_t launch;    // number of the first
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_static, shared_dynamic;
  uint32_t line_count;
  bool is_cut;      // some of them failed or were stopped on the way
  uint64_t dropped; // launches before it that were of too many kinds to keep
  uint64_t count[GPU_COUNT_COUNT];
};

// Sorts rows and adds up those of the same place; returns how many are left.
uint32_t gpu_line_counts_merge(struct gpu_line_counts *rows, uint32_t count);

// Adds what was counted of other launches to `sum`, whose lines grow: both are the
// caller's, who frees them.
void gpu_counts_add(struct gpu_counts *sum, struct gpu_line_counts **lines,
                    const struct gpu_counts *c,
                    const struct gpu_line_counts *more);

// What was counted without the loads that feed no result, which its rows of
// accesses say.
void gpu_counts_of_used(const struct gpu_counts *c,
                        const struct gpu_line_counts *lines,
                        uint64_t out[GPU_COUNT_COUNT]);

// A counter or ratio; NaN where a ratio's denominator is 0.
double gpu_metric_value(enum gpu_metric m,
                        const uint64_t count[GPU_COUNT_COUNT]);

// What a ratio is per: the requests of sectors_per_request. So much does one
// part of a launch weigh in the whole's. NaN where no part has a ratio of its
// own: a total, a shape, a ratio between different instructions.
double gpu_metric_weight(enum gpu_metric m,
                         const uint64_t count[GPU_COUNT_COUNT]);

#endif
