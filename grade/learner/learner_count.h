// SPDX-License-Identifier: Apache-2.0
// What a learner's Lua may do, counted: never a clock's time.
#ifndef GRADE_LEARNER_LEARNER_COUNT_H
#define GRADE_LEARNER_LEARNER_COUNT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

// Zeros, at first. The functions, of Lua and of arrays, are those that are known.
struct count {
  uint64_t work, budget;
  bool is_counting;
  struct gpu_device *device; // NULL: none; else messages to it count
  uint64_t messages;         // that it was sent, as last seen
  lua_CFunction index, new_index, length, repeat, pattern[4], list[5];
  lua_CFunction idle[32]; // look at no element, whatever they are given
  int idle_count;
};

// Three members of the state's bind_options: the meter is its struct count.
void count_add(void *meter, double units); // more work, done elsewhere
bool count_may_take(void *meter, size_t bytes, bool is_string);

// One unit: a Lua instruction, a call, eight elements that a C function was given
// or gave back, 16 bytes of Lua's memory. A product or a decomposition takes its
// elements times the longest axis, a message to the device 2^14 units. From now on
// everything in this state counts; above `budget` each instruction raises.
void count_start(lua_State *L, uint64_t budget);
void count_stop(lua_State *L);
bool count_is_over(const struct count *c);

#endif
