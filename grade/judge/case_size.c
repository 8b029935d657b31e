// SPDX-License-Identifier: Apache-2.0
// Sizes that the cases which learners see have in common.
#include "grade/judge/case_size.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

// ---- One field ----

static bool is_power(int64_t v) {
  return v > 0 && !(v & (v - 1));
}

static int64_t divisor(int64_t a, int64_t b) {
  return b ? divisor(b, a % b) : a;
}

// The numbers of that field in the visible cases, which are on top of the stack.
static bool look_at(lua_State *L, const struct exercise *ex,
                    struct case_size *s) {
  int64_t first = 0;
  int seen = 0;
  s->is_power = true;
  s->step = 0;
  for (int i = 0; i < ex->case_count; i++) {
    if (ex->cases[i].is_hidden)
      continue;
    lua_rawgeti(L, -1, i + 1);
    lua_pushstring(L, s->field);
    if (lua_rawget(L, -2) == LUA_TNUMBER && lua_isinteger(L, -1)) {
      int64_t v = lua_tointeger(L, -1);
      first = seen++ ? first : v;
      s->least = seen == 1 || v < s->least ? v : s->least;
      s->most = seen == 1 || v > s->most ? v : s->most;
      s->is_power &= is_power(v);
      s->step = divisor(s->step, llabs(v - first));
    }
    lua_pop(L, 2);
  }
  return seen > 1 && s->least < s->most;
}

// ---- A case's ----

static bool is_of_judge(const char *name) {
  return !strcmp(name, "name") || !strcmp(name, "weight") ||
         !strcmp(name, "hidden") || !strcmp(name, "tolerance");
}

static int compare(const void *a, const void *b) {
  return strcmp(((const struct case_size *)a)->field,
                ((const struct case_size *)b)->field);
}

int case_sizes(const struct exercise *ex, int i,
               struct case_size out[CASE_MAX_SIZES]) {
  lua_State *L = ex->L;
  int count = 0;
  lua_getfield(L, 1, "cases");
  lua_rawgeti(L, -1, i + 1);
  lua_insert(L, -2); // [case, cases]
  lua_pushstring(L, "tolerance");
  bool is_own = lua_rawget(L, -3) != LUA_TNIL;
  lua_pop(L, 1);
  for (lua_pushnil(L); !is_own && lua_next(L, -3); lua_pop(L, 1)) {
    const char *name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "name";
    if (count == CASE_MAX_SIZES || !lua_isinteger(L, -1) || is_of_judge(name) ||
        strlen(name) >= CASE_FIELD_BYTES)
      continue;
    strcpy(out[count].field, name);
    lua_pushvalue(L, -3); // the cases
    count += look_at(L, ex, &out[count]);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  qsort(out, (size_t)count, sizeof *out, compare); // whatever order a table has
  return count;
}

int64_t case_size_count(const struct case_size *s) {
  return case_size_number(s, s->most) + 1;
}

int64_t case_size_at(const struct case_size *s, int64_t number) {
  return s->is_power ? s->least << number : s->least + number * s->step;
}

int64_t case_size_number(const struct case_size *s, int64_t value) {
  int64_t number = 0;
  if (value <= s->least)
    return 0;
  if (!s->is_power)
    return (value - s->least) / s->step;
  while (s->least << (number + 1) <= value)
    number++;
  return number;
}
