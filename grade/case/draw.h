// SPDX-License-Identifier: Apache-2.0
// What an exercise's Lua works with: numbers in a row, and a generator that
// draws them from a seed.
#ifndef GRADE_CASE_DRAW_H
#define GRADE_CASE_DRAW_H

#include <lua.h>
#include <stddef.h>

#include "grade/input/input.h"

// Elements are doubles, whatever the kernel's type: they are rounded once,
// when the case is made. Lua sees an object that counts from 0.
struct numbers {
  size_t count;
  double at[];
};

// Pushes a row of `count` numbers, all of which are to be written. Raises when
// there are too many.
struct numbers *numbers_push(lua_State *L, lua_Integer count);
struct numbers *numbers_test(lua_State *L, int i); // NULL: something else

// Pushes a generator with rng:floats(n, low, high), rng:steps(n, low, high,
// step), rng:ints(n, low, high), rng:special(n), rng:full(n, value).
void draw_push(lua_State *L, const struct seed *seed);

#endif
