// SPDX-License-Identifier: Apache-2.0
// What a learner's Lua may do, counted: never a clock's time.
#ifndef GRADE_LEARNER_LEARNER_COUNT_H
#define GRADE_LEARNER_LEARNER_COUNT_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

// One unit: a Lua instruction, a call, eight elements that a C function was given
// or gave back, 16 bytes of Lua's memory. A product or a decomposition takes its
// elements times the longest axis. From now on everything in this state counts;
// above `budget` each instruction raises.
void count_start(lua_State *L, uint64_t budget);
void count_stop(lua_State *L);
// More work, done elsewhere.
void count_add(double units);
uint64_t count_work(void);
bool count_is_over(void);

#endif
