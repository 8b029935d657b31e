// SPDX-License-Identifier: Apache-2.0
// What a learner's Lua of kind host has besides: the exercise's kernels, and the
// part of `cuda` that needs no compiler, on a virtual GPU in the device server.
#ifndef GRADE_LEARNER_LEARNER_HOST_H
#define GRADE_LEARNER_LEARNER_HOST_H

#include <lua.h>

#include "grade/learner/learner.h"

enum { HOST_MEMORY_BYTES = 512 << 20 };

// Opens the device, loads the kernels (gpu/nvrtc/cache/cache.h) and makes them globals;
// `cuda` becomes what a submission may use of it. Raises what is wrong. The device.
struct gpu_device *host_open(lua_State *L, const void *record, size_t bytes,
                             const char *text, const char *file);
// Counting begins; a launch may do `budget` units of work.
void host_start(lua_State *L, uint64_t budget);
// What was counted and found. Returns how many notes there are.
int host_finish(lua_State *L, struct gpu_calls *calls,
                struct learner_note notes[LEARNER_MAX_NOTES]);

#endif
