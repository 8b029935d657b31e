// SPDX-License-Identifier: Apache-2.0
// What the compiler's debugging data leave out, from the source.
#ifndef LUA_BIND_CUDA_DEBUG_SOURCE_H
#define LUA_BIND_CUDA_DEBUG_SOURCE_H

#include "base/str.h"

// The source's __shared__ variables as the debugger's commands, a line each:
// "declare tile float[4][8]". Sizes are numbers, and names that the source
// defines as numbers, with + - * / between them; of others only the element
// type is told.
void debug_find_shared(const char *source, struct str *out);

#endif
