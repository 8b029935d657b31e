// SPDX-License-Identifier: Apache-2.0
// One case of an exercise: its arguments from a seed, and what they must
// become.
#include "grade/case/case.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "grade/case/draw.h"

// ---- Numbers to C's types and back ----

void case_store(enum dtype t, void *data, size_t i, double v) {
  char *p = (char *)data + i * dtype_bytes(t);
  int64_t whole = isfinite(v) ? (int64_t)v : 0;
  uint64_t large = v >= 0x1p63 ? (uint64_t)v : (uint64_t)whole;
  float f = (float)v;
  uint16_t half;
  switch (t) {
  case DTYPE_F64: memcpy(p, &v, sizeof v); break;
  case DTYPE_F32: memcpy(p, &f, sizeof f); break;
  case DTYPE_F16:
    half = dtype_f16_from_double(v);
    memcpy(p, &half, sizeof half);
    break;
  case DTYPE_BF16:
    half = dtype_bf16_from_double(v);
    memcpy(p, &half, sizeof half);
    break;
  default: memcpy(p, &large, dtype_bytes(t)); // little endian
  }
}

// Most rows are floats, and some are long.
static void store_row(enum dtype t, void *data, const struct numbers *n) {
  float *floats = data;
  for (size_t i = 0; i < n->count; i++)
    if (t == DTYPE_F32)
      floats[i] = (float)n->at[i];
    else
      case_store(t, data, i, n->at[i]);
}

// ---- Making ----

// What make_case needs on both sides of a protected call.
struct making {
  struct exercise *ex;
  int index;
  const struct seed *seed;
  struct case_input *in;
};

static bool has_no_contents(const struct exercise_param *p) {
  return p->direction == PARAM_OUT || p->direction == PARAM_SCRATCH;
}

static void take_array(lua_State *L, const struct exercise_param *p,
                       struct case_arg *a) {
  struct numbers *n = numbers_test(L, -1);
  lua_Integer count = 0;
  if (n)
    count = (lua_Integer)n->count;
  else if (lua_isnil(L, -1) && !p->is_array) // a number that is a result
    count = 1;
  else if (lua_isinteger(L, -1) && has_no_contents(p))
    count = lua_tointeger(L, -1);
  else
    luaL_error(L, "make: %s must be %s", p->name,
               has_no_contents(p) ? "a number of elements"
                                  : "an array from rng");
  if (count < 1 || count > 1 << 24)
    luaL_error(L, "make: %s has %I elements", p->name, count);
  if (p->direction == PARAM_CONSTANT && (size_t)count > p->room)
    luaL_error(L, "make: %s has %I elements, and its type is \"%s\"", p->name,
               count, p->declared);
  a->count = (size_t)count;
  a->data = try_malloc(a->count * dtype_bytes(p->dtype));
  if (!a->data)
    luaL_error(L, "no memory for %s", p->name);
  if (!n)
    memset(a->data, 0, a->count * dtype_bytes(p->dtype));
  else
    store_row(p->dtype, a->data, n);
}

// The shape of the array at the top of the stack, which make may give by name;
// one axis where it does not.
static void take_shape(lua_State *L, int shapes, const struct exercise_param *p,
                       struct case_arg *a) {
  a->ndim = p->is_array;
  a->shape[0] = (int64_t)a->count;
  if (!p->is_array || !lua_istable(L, shapes))
    return;
  if (lua_getfield(L, shapes, p->name) == LUA_TTABLE) {
    int64_t elements = 1;
    a->ndim = (int)lua_rawlen(L, -1);
    if (a->ndim < 1 || a->ndim > EXERCISE_MAX_DIMS)
      luaL_error(L, "make: the shape of %s has 1 to %d axes", p->name,
                 EXERCISE_MAX_DIMS);
    for (int d = 0; d < a->ndim; d++) {
      lua_rawgeti(L, -1, d + 1);
      a->shape[d] = lua_tointeger(L, -1);
      if (a->shape[d] < 1 || a->shape[d] > 1 << 24)
        luaL_error(L, "make: an axis of %s has no or too many elements",
                   p->name);
      elements *= a->shape[d];
      lua_pop(L, 1);
      if (elements > 1 << 24)
        break;
    }
    if (elements != (int64_t)a->count)
      luaL_error(L, "make: the shape of %s does not hold its %d elements",
                 p->name, (int)a->count);
  }
  lua_pop(L, 1);
}

// Of a texture make returns {row, width, height}, on top of the stack: its row is
// pushed.
static void push_picture(lua_State *L, const struct exercise_param *p,
                         struct case_arg *a) {
  static const char form[] = "{an array from rng, width, height}";
  lua_Integer size[2];
  if (!lua_istable(L, -1))
    luaL_error(L, "make: the texture %s must be %s", p->name, form);
  for (int i = 0; i < 2; i++) {
    lua_rawgeti(L, -1, i + 2);
    size[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (size[i] < 1 || size[i] > 16384)
      luaL_error(L, "make: the texture %s must be %s", p->name, form);
  }
  lua_rawgeti(L, -1, 1);
  struct numbers *n = numbers_test(L, -1);
  if (!n || (size_t)(size[0] * size[1]) != n->count)
    luaL_error(L,
               "make: the texture %s must be %s, with width times height "
               "elements",
               p->name, form);
  a->ndim = 2;
  a->shape[0] = size[1];
  a->shape[1] = size[0];
}

static void take_number(lua_State *L, const struct exercise_param *p,
                        struct case_arg *a) {
  if (!lua_isnumber(L, -1))
    luaL_error(L, "make: %s must be a number", p->name);
  a->number = lua_tonumber(L, -1);
  a->integer = (int64_t)a->number;
  if (dtype_kind(p->dtype) == 'f')
    return;
  if ((double)a->integer != a->number)
    luaL_error(L, "make: %s must be a whole number", p->name);
  uint64_t bits = 0;
  case_store(p->dtype, &bits, 0, a->number);
  if (compare_element(p->dtype, &bits, 0) != a->number)
    luaL_error(L, "make: %s is %f, which its type %s does not hold", p->name,
               a->number, p->declared);
}

// A number or a list of up to three, at the top of the stack; popped.
static void take_size(lua_State *L, const char *what, uint32_t out[3]) {
  for (int i = 0; i < 3; i++) {
    lua_Integer size = 1;
    if (lua_istable(L, -1)) {
      if (lua_rawgeti(L, -1, i + 1) != LUA_TNIL)
        size = lua_tointeger(L, -1);
      lua_pop(L, 1);
    } else if (i == 0) {
      size = lua_tointeger(L, -1);
    }
    if (size < 1 || size > INT32_MAX)
      luaL_error(L, "make: %s must be at least 1", what);
    out[i] = (uint32_t)size;
  }
  lua_pop(L, 1);
}

// The table at `at` has a parameter's name for each of its fields.
static void check_names(lua_State *L, int at, const struct exercise *ex,
                        const char *what) {
  for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
    bool is_param = false;
    for (int i = 0; i < ex->param_count && !is_param; i++)
      is_param = lua_type(L, -2) == LUA_TSTRING &&
                 !strcmp(lua_tostring(L, -2), ex->params[i].name);
    if (!is_param)
      luaL_error(L, "make returns %s%s, which the signature does not have",
                 what, luaL_tolstring(L, -2, NULL));
  }
}

// What make returned and nobody reads is likely to be misspelt. [description,
// args, launch]
static void check_made(lua_State *L, const struct exercise *ex) {
  char *why;
  check_names(L, 2, ex, "");
  if (exercise_is_lua(ex->kind)) {
    if (lua_istable(L, 3))
      check_names(L, 3, ex, "the shape of ");
  } else if (lua_istable(L, 3) &&
             (why = exercise_unknown_setting(L, ex->kind, false))) {
    lua_pushstring(L, why);
    free(why);
    luaL_error(L, "make: %s", lua_tostring(L, -1));
  }
}

// [description, args, launch]: of an exercise that launches once.
static void take_launch(lua_State *L, struct case_input *in) {
  lua_rawgeti(L, 3, 1);
  take_size(L, "the grid", in->grid);
  lua_rawgeti(L, 3, 2);
  take_size(L, "the block", in->block);
  lua_getfield(L, 3, "shared");
  in->shared_bytes = (uint32_t)lua_tointeger(L, -1);
  lua_getfield(L, 3, "cooperative");
  in->is_cooperative = lua_toboolean(L, -1);
}

void case_push(lua_State *L, int i, const struct case_changes *changes) {
  lua_getfield(L, 1, "cases");
  lua_rawgeti(L, -1, i + 1);
  lua_replace(L, -2);
  if (!changes->count)
    return;
  lua_newtable(L); // [case, changed]
  for (lua_pushnil(L); lua_next(L, -3);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  for (int k = 0; k < changes->count; k++) {
    lua_pushinteger(L, changes->at[k].value);
    lua_setfield(L, -2, changes->at[k].field);
  }
  lua_replace(L, -2);
}

static int make_case(lua_State *L) {
  struct making *m = lua_touserdata(L, 2); // [description, making]
  bool launches = m->ex->kind == EXERCISE_CUDA && !m->ex->most_launches;
  lua_settop(L, 1);
  lua_getfield(L, 1, "make");
  case_push(L, m->index, &m->in->changes);
  draw_push(L, m->seed);
  lua_call(L, 2, 2); // [description, args, launch]
  if (!lua_istable(L, 2) || (launches && !lua_istable(L, 3)))
    return luaL_error(L, "make must return the arguments%s",
                      launches ? " and {grid, block}" : "");
  if (m->ex->most_launches && !lua_isnil(L, 3))
    return luaL_error(L, "make returns the arguments alone: grid and block are "
                         "for the function launches to say");
  check_made(L, m->ex);
  struct case_input *in = m->in;
  in->index = m->index;
  in->arg_count = m->ex->param_count;
  for (int i = 0; i < in->arg_count; i++) {
    const struct exercise_param *p = &m->ex->params[i];
    lua_getfield(L, 2, p->name);
    if (p->direction == PARAM_TEXTURE)
      push_picture(L, p, &in->args[i]);
    if (p->direction == PARAM_VALUE)
      take_number(L, p, &in->args[i]);
    else
      take_array(L, p, &in->args[i]);
    if (p->direction == PARAM_TEXTURE)
      lua_pop(L, 1); // its row
    else
      take_shape(L, 3, p, &in->args[i]);
    lua_pop(L, 1);
  }
  for (int i = 0; i < 3; i++)
    in->grid[i] = in->block[i] = 1;
  if (launches)
    take_launch(L, in);
  return 0;
}

enum err exercise_make_case(struct exercise *ex, int i, const struct seed *seed,
                            struct case_input *out, struct err_info *e) {
  static const struct case_changes none;
  return exercise_make_changed(ex, i, &none, seed, out, e);
}

enum err exercise_make_changed(struct exercise *ex, int i,
                               const struct case_changes *changes,
                               const struct seed *seed, struct case_input *out,
                               struct err_info *e) {
  struct making m = {ex, i, seed, out};
  struct err_info why;
  memset(out, 0, sizeof *out);
  out->changes = *changes;
  lua_pushcfunction(ex->L, make_case);
  lua_pushvalue(ex->L, 1);
  lua_pushlightuserdata(ex->L, &m);
  enum err err = exercise_call(ex, 2, 0, &why);
  lua_gc(ex->L, LUA_GCCOLLECT); // a case's rows are large and done with
  if (!err)
    return ERR_OK;
  case_input_free(out);
  return err_set(e, err, "%s, case \"%s\": %s", ex->name, ex->cases[i].name,
                 why.text);
}

void case_input_copy(const struct exercise *ex, const struct case_input *from,
                     struct case_input *to) {
  *to = *from;
  for (int i = 0; i < from->arg_count; i++) {
    size_t bytes = from->args[i].count * dtype_bytes(ex->params[i].dtype);
    if (!from->args[i].data)
      continue;
    to->args[i].data = xmalloc(bytes);
    memcpy(to->args[i].data, from->args[i].data, bytes);
  }
}

void case_input_free(struct case_input *in) {
  for (int i = 0; i < EXERCISE_MAX_PARAMS; i++) {
    free(in->args[i].data);
    in->args[i].data = NULL;
  }
}

// ---- Solving ----

// Pushes {x = row, n = number, ...} for a reference that is written in Lua.
static void push_args(lua_State *L, const struct exercise *ex,
                      const struct case_input *in) {
  lua_createtable(L, 0, in->arg_count);
  for (int i = 0; i < in->arg_count; i++) {
    const struct case_arg *a = &in->args[i];
    if (ex->params[i].direction == PARAM_SCRATCH)
      continue; // it belongs to the kernels
    if (a->data) {
      struct numbers *n = numbers_push(L, (lua_Integer)a->count);
      for (size_t k = 0; k < a->count; k++)
        n->at[k] = compare_element(ex->params[i].dtype, a->data, k);
    } else if (dtype_kind(ex->params[i].dtype) == 'f') {
      lua_pushnumber(L, a->number);
    } else {
      lua_pushinteger(L, a->integer);
    }
    lua_setfield(L, -2, ex->params[i].name);
  }
}

static void push_launch(lua_State *L, const struct case_input *in) {
  const uint32_t *sizes[] = {in->grid, in->block};
  lua_createtable(L, 2, 0);
  for (int i = 0; i < 2; i++) {
    lua_createtable(L, 3, 0);
    for (int axis = 0; axis < 3; axis++) {
      lua_pushinteger(L, sizes[i][axis]);
      lua_rawseti(L, -2, axis + 1);
    }
    lua_rawseti(L, -2, i + 1);
  }
}

static int solve_in_lua(lua_State *L) {
  struct making *m = lua_touserdata(L, 2); // [description, making]
  lua_settop(L, 1);
  push_args(L, m->ex, m->in);
  lua_getfield(L, 1, "reference");
  lua_pushvalue(L, 2);
  if (m->ex->most_launches)
    lua_pushnil(L);
  else
    push_launch(L, m->in);
  lua_call(L, 2, 0); // [description, args]
  for (int i = 0; i < m->in->arg_count; i++) {
    const struct exercise_param *p = &m->ex->params[i];
    if (p->direction != PARAM_OUT && p->direction != PARAM_INOUT)
      continue;
    lua_getfield(L, 2, p->name);
    struct numbers *n = numbers_test(L, -1);
    if (!n || n->count != m->in->args[i].count)
      return luaL_error(L, "reference: %s was replaced; write its elements",
                        p->name);
    store_row(p->dtype, m->in->args[i].data, n);
    lua_pop(L, 1);
  }
  return 0;
}

// In microseconds.
static double compute(const struct exercise *ex, const struct case_input *in,
                      struct err_info *e) {
  struct reference_arg args[EXERCISE_MAX_PARAMS];
  for (int i = 0; i < in->arg_count; i++)
    args[i] = (struct reference_arg){ex->params[i].name, in->args[i].data,
                                     in->args[i].count, in->args[i].integer,
                                     in->args[i].number};
  struct reference_call call = {.args = args, .e = e};
  memcpy(call.grid, in->grid, sizeof call.grid);
  memcpy(call.block, in->block, sizeof call.block);
  double start = clock_s();
  ex->reference->compute(&call);
  return (clock_s() - start) * 1e6;
}

// The least of two runs on copies, since an inout array changes.
static double time_on_copies(const struct exercise *ex,
                             const struct case_input *in, struct err_info *e) {
  double best = INFINITY;
  for (int i = 0; i < 2; i++) {
    struct case_input copy;
    case_input_copy(ex, in, &copy);
    best = fmin(best, compute(ex, &copy, e));
    case_input_free(&copy);
  }
  return best;
}

static void solve_in_c(const struct exercise *ex, struct case_input *in,
                       double *us, struct err_info *e) {
  double best = us ? time_on_copies(ex, in, e) : INFINITY;
  best = fmin(best, compute(ex, in, e));
  if (us)
    *us = best;
}

enum err exercise_solve(struct exercise *ex, struct case_input *in, double *us,
                        struct err_info *e) {
  struct err_info why = {0};
  if (us)
    *us = NAN;
  if (ex->reference) {
    solve_in_c(ex, in, us, &why);
  } else {
    struct making m = {.ex = ex, .in = in};
    lua_pushcfunction(ex->L, solve_in_lua);
    lua_pushvalue(ex->L, 1);
    lua_pushlightuserdata(ex->L, &m);
    why.code = exercise_call(ex, 2, 0, &why);
    lua_gc(ex->L, LUA_GCCOLLECT);
  }
  return why.code ? err_set(e, why.code, "%s: the reference fails: %s",
                            ex->name, why.text)
                  : ERR_OK;
}
