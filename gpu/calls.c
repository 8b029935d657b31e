// SPDX-License-Identifier: Apache-2.0
// The rows of calls.def.
#include "gpu/calls.h"

#include <string.h>

const struct gpu_call_row gpu_calls[GPU_CALL_COUNT] = {
#define CALL(name, lua_name, meaning) {lua_name, meaning},
#include "gpu/calls.def"
#undef CALL
};

int gpu_call_find(const char *name) {
  for (int i = 0; i < GPU_CALL_COUNT; i++)
    if (!strcmp(gpu_calls[i].name, name))
      return i;
  return -1;
}
