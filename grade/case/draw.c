// SPDX-License-Identifier: Apache-2.0
// Rows of numbers for Lua, drawn from a seed.
#include "grade/case/draw.h"

#include <float.h>
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define NUMBERS_TYPE "grade.numbers"
#define DRAW_TYPE    "grade.draw"

// ---- Rows of numbers ----

enum { MAX_NUMBERS = 1 << 24 };

struct numbers *numbers_test(lua_State *L, int i) {
  return luaL_testudata(L, i, NUMBERS_TYPE);
}

// A method's own metatable, by identity: looking for it by name in the registry was
// half of what an element took.
static struct numbers *check_own(lua_State *L) {
  if (!lua_getmetatable(L, 1) || !lua_rawequal(L, -1, lua_upvalueindex(1)))
    luaL_typeerror(L, 1, NUMBERS_TYPE);
  lua_pop(L, 1);
  return lua_touserdata(L, 1);
}

static double *check_element(lua_State *L) {
  struct numbers *n = check_own(L);
  lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 0 || (size_t)i >= n->count)
    luaL_error(L, "index %I is outside of %I numbers", i,
               (lua_Integer)n->count);
  return &n->at[i];
}

static int numbers_index(lua_State *L) {
  lua_pushnumber(L, *check_element(L));
  return 1;
}

static bool is_exact(lua_Integer whole) {
  double d = (double)whole;
  return d < 0x1p63 && (lua_Integer)d == whole;
}

// A whole number that a double rounds would judge by another one than meant.
static int numbers_newindex(lua_State *L) {
  double *element = check_element(L);
  lua_Number number = luaL_checknumber(L, 3);
  if (lua_isinteger(L, 3) && !is_exact(lua_tointeger(L, 3)))
    luaL_error(L,
               "%I is not held: the numbers of a row are doubles, which hold "
               "whole numbers up to 2^53",
               lua_tointeger(L, 3));
  *element = number;
  return 0;
}

static int numbers_len(lua_State *L) {
  struct numbers *n = check_own(L);
  lua_pushinteger(L, (lua_Integer)n->count);
  return 1;
}

struct numbers *numbers_push(lua_State *L, lua_Integer count) {
  static const luaL_Reg methods[] = {
      {"__index", numbers_index},
      {"__newindex", numbers_newindex},
      {"__len", numbers_len},
      {NULL, NULL},
  };
  if (count < 1 || count > MAX_NUMBERS)
    luaL_error(L, "%I elements: an array has 1 to %d", count, MAX_NUMBERS);
  size_t bytes = sizeof(struct numbers) + (size_t)count * sizeof(double);
  struct numbers *n = lua_newuserdatauv(L, bytes, 0);
  n->count = (size_t)count;
  if (luaL_newmetatable(L, NUMBERS_TYPE)) {
    lua_pushvalue(L, -1);
    luaL_setfuncs(L, methods, 1);
  }
  lua_setmetatable(L, -2); // [numbers]
  return n;
}

// ---- Drawing ----

struct draw {
  struct seed seed;
  uint64_t streams; // used so far: each row is drawn from one of its own
};

// Fills with uniform numbers in [0, 1), 53 bits each.
static void fill_uniform(struct draw *d, struct numbers *n) {
  seed_fill(&d->seed, d->streams++, n->at, n->count * sizeof(double));
  for (size_t i = 0; i < n->count; i++) {
    uint64_t bits;
    memcpy(&bits, &n->at[i], sizeof bits);
    n->at[i] = (double)(bits >> 11) * 0x1p-53;
  }
}

static struct numbers *push_uniform(lua_State *L) {
  struct draw *d = luaL_checkudata(L, 1, DRAW_TYPE);
  struct numbers *n = numbers_push(L, luaL_checkinteger(L, 2));
  fill_uniform(d, n);
  return n;
}

static int draw_floats(lua_State *L) {
  double low = luaL_checknumber(L, 3), high = luaL_checknumber(L, 4);
  struct numbers *n = push_uniform(L);
  for (size_t i = 0; i < n->count; i++)
    n->at[i] = low + n->at[i] * (high - low);
  return 1;
}

// Multiples of `step` from `low` to `high`, both included.
static int push_steps(lua_State *L, double low, double high, double step) {
  luaL_argcheck(L, step > 0 && high >= low, 5, "no number lies there");
  double choices = floor((high - low) / step) + 1;
  struct numbers *n = push_uniform(L);
  for (size_t i = 0; i < n->count; i++)
    n->at[i] = low + floor(n->at[i] * choices) * step;
  return 1;
}

static int draw_steps(lua_State *L) {
  return push_steps(L, luaL_checknumber(L, 3), luaL_checknumber(L, 4),
                    luaL_checknumber(L, 5));
}

static int draw_ints(lua_State *L) {
  return push_steps(L, (double)luaL_checkinteger(L, 3),
                    (double)luaL_checkinteger(L, 4), 1);
}

// Values that a shortcut gets wrong: both zeros, the ends of the range,
// subnormals, infinities, NaN.
static int draw_special(lua_State *L) {
  const double specials[] = {
      0.0,      -0.0,    1.0,          -1.0,          FLT_MAX,
      -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN, 1 + FLT_EPSILON,
      1e20,     -1e-20,  INFINITY,     -INFINITY,     NAN,
      3.0};
  const size_t kinds = sizeof specials / sizeof *specials;
  struct numbers *n = push_uniform(L);
  for (size_t i = 0; i < n->count; i++)
    n->at[i] = specials[(size_t)(n->at[i] * (double)kinds)];
  return 1;
}

static int draw_full(lua_State *L) {
  double value = luaL_checknumber(L, 3);
  luaL_checkudata(L, 1, DRAW_TYPE);
  struct numbers *n = numbers_push(L, luaL_checkinteger(L, 2));
  for (size_t i = 0; i < n->count; i++)
    n->at[i] = value;
  return 1;
}

void draw_push(lua_State *L, const struct seed *seed) {
  static const luaL_Reg methods[] = {
      {"floats", draw_floats},   {"steps", draw_steps}, {"ints", draw_ints},
      {"special", draw_special}, {"full", draw_full},   {NULL, NULL},
  };
  struct draw *d = lua_newuserdatauv(L, sizeof *d, 0);
  d->seed = *seed;
  d->streams = 0;
  if (luaL_newmetatable(L, DRAW_TYPE)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
  }
  lua_setmetatable(L, -2); // [draw]
}
