// SPDX-License-Identifier: Apache-2.0
// What stands out in a launch's counters.
#ifndef GPU_COUNTERS_NOTES_H
#define GPU_COUNTERS_NOTES_H

#include "gpu/counters_text.h"

enum { GPU_MAX_COUNT_NOTES = 12 };

struct gpu_count_note {
  const char *code; // a stable key: "uncoalesced", "bank-conflicts", ...
  int line;         // 0: of the whole launch
  char text[300];
};

// What stands out, the most costly first of its kind; returns how many.
int gpu_count_notes(const struct gpu_count_view *v,
                    struct gpu_count_note out[GPU_MAX_COUNT_NOTES]);

// The text of a source's line, NULL when it has none; `*bytes` is its length.
const char *gpu_source_line(const char *source, int line, size_t *bytes);

#endif
