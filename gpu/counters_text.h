// SPDX-License-Identifier: Apache-2.0
// Counters in words: a table, a sentence for each number that stands out, and
// the source with its counters beside it.
#ifndef GPU_COUNTERS_TEXT_H
#define GPU_COUNTERS_TEXT_H

#include "base/str.h"
#include "gpu/counters.h"
#include "gpu/hardware.h"

// Counts, and what is known of their kernel.
struct gpu_count_view {
  const struct gpu_counts *counts;
  const struct gpu_line_counts *lines;   // counts->line_count
  const struct gpu_occupancy *occupancy; // NULL: of several kinds of launches
  uint32_t multiprocessors;
  const char *device; // a real GPU that it ran on as well, or NULL
  const struct gpu_hardware *hardware; // that GPU's own counters, or NULL
  const char *no_hardware;             // why there are none, or NULL
  const char *kernel;                  // its name
  const char *source; // whose lines are counted from 1, or NULL
  const char *file;   // the source's name in the lines
  bool takes_doubles; // some parameter is a double, or points at some
};

// A row's value; NaN where it is not known.
double gpu_count_value(const struct gpu_count_view *v, enum gpu_metric m);

// The table and its notes, in at most `columns` columns.
void gpu_count_table(const struct gpu_count_view *v, int columns,
                     struct str *out);

// The source, each line with what it did. Long ones are cut to the lines that
// ran and their neighbours.
void gpu_count_source(const struct gpu_count_view *v, int columns,
                      struct str *out);

#endif
