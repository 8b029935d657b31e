// SPDX-License-Identifier: Apache-2.0
// Counters of what a program asked for (calls.def).
#ifndef GPU_CALLS_H
#define GPU_CALLS_H

#include <stdint.h>

enum gpu_call {
#define CALL(name, lua_name, meaning) GPU_CALL_##name,
#include "gpu/calls.def"
#undef CALL
  GPU_CALL_COUNT
};

struct gpu_calls {
  uint64_t count[GPU_CALL_COUNT];
};

struct gpu_call_row {
  const char *name, *meaning;
};
extern const struct gpu_call_row gpu_calls[GPU_CALL_COUNT];

// The counter of that name, or -1.
int gpu_call_find(const char *name);

#endif
