// SPDX-License-Identifier: Apache-2.0
// Launches of an exercise.
//
// The function `launches` runs in the exercise's sandbox and gets three tables:
// args (numbers, and arrays that can be read and written element by element),
// kernels (by name), and the case. A launch is written as at the prompt:
// kernels.step[{blocks, threads}](args.x, args.n). All that it does happens at
// once, on the device of whoever called; the objects are dead outside of it.
#include "grade/case/case.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_TYPE "grade.launch_kernel"
#define ARRAY_TYPE  "grade.launch_array"

// Copies to and from the device take time that nobody counts.
enum { MAX_MOVES = 1 << 16, ELEMENTS_OF_MOVE = 1 << 12 };

struct host {
  const struct exercise *ex;
  const struct case_input *in;
  const struct launch_device *d;
  int launches;
  size_t moves;
  enum launch_end end;
  enum err err; // that the device stopped with
  struct err_info *e;
};

// ---- Objects ----

struct object { // a kernel or an array
  int index;
};

// Where the registry has the host of the running function.
static const char host_key;

// A function that caught an error of the device gets no further.
static struct host *host_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key);
  struct host *h = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!h)
    luaL_error(L, "kernels and arrays of a case are of use within its function "
                  "launches alone");
  else if (h->end != LAUNCH_DONE)
    luaL_error(L, "the launches have ended");
  return h;
}

static int stop(lua_State *L, struct host *h, enum launch_end end,
                enum err err) {
  h->end = end;
  h->err = err;
  return luaL_error(L, "the launches have ended");
}

static void push_object(lua_State *L, const char *type, int index) {
  struct object *o = lua_newuserdatauv(L, sizeof *o, 0);
  o->index = index;
  luaL_setmetatable(L, type);
}

// ---- Arrays ----

static const struct exercise_param *check_array(lua_State *L, struct host *h,
                                                int *array) {
  const struct object *o = luaL_checkudata(L, 1, ARRAY_TYPE);
  const struct exercise_param *p = &h->ex->params[o->index];
  *array = o->index;
  if (p->direction == PARAM_TEXTURE)
    luaL_error(L, "%s is a texture, which kernels alone read", p->name);
  return p;
}

static void count_move(lua_State *L, struct host *h, size_t elements) {
  h->moves += 1 + elements / ELEMENTS_OF_MOVE;
  if (h->moves > MAX_MOVES)
    luaL_error(L,
               "more than %d reads and writes of elements: a function that "
               "launches reads a flag or a number, not whole arrays",
               (int)MAX_MOVES);
}

static size_t check_index(lua_State *L, const struct host *h, int array) {
  lua_Integer i = luaL_checkinteger(L, 2);
  size_t count = h->in->args[array].count;
  if (i < 0 || (size_t)i >= count)
    luaL_error(L, "index %I is outside of %s, which has %I elements", i,
               h->ex->params[array].name, (lua_Integer)count);
  return (size_t)i;
}

static void check_writable(lua_State *L, const struct exercise_param *p) {
  if (p->direction == PARAM_IN)
    luaL_error(L, "%s is an input and is not written", p->name);
}

static int push_element(lua_State *L, enum dtype t, const void *from) {
  uint64_t bits = 0;
  size_t bytes = dtype_bytes(t);
  memcpy(&bits, from, bytes);
  if (dtype_kind(t) == 'f')
    lua_pushnumber(L, compare_element(t, from, 0));
  else if (dtype_kind(t) == 'i' && bytes < 8)
    lua_pushinteger(L, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
  else
    lua_pushinteger(L, (lua_Integer)bits);
  return 1;
}

// array:fill(value)
static int array_fill(lua_State *L) {
  struct host *h = host_of(L);
  int array;
  const struct exercise_param *p = check_array(L, h, &array);
  double value = luaL_checknumber(L, 2);
  size_t count = h->in->args[array].count;
  check_writable(L, p);
  count_move(L, h, count);
  char *data = lua_newuserdatauv(L, count * dtype_bytes(p->dtype), 0);
  for (size_t i = 0; i < count; i++)
    case_store(p->dtype, data, i, value);
  enum err err = h->d->write(h->d->context, array, 0, count, data, h->e);
  return err ? stop(L, h, LAUNCH_STOPPED, err) : 0;
}

static int array_index(lua_State *L) {
  struct host *h = host_of(L);
  int array;
  const struct exercise_param *p = check_array(L, h, &array);
  if (lua_type(L, 2) == LUA_TSTRING && !strcmp(lua_tostring(L, 2), "fill")) {
    lua_pushcfunction(L, array_fill);
    return 1;
  }
  char element[16] = {0};
  size_t i = check_index(L, h, array);
  count_move(L, h, 1);
  enum err err = h->d->read(h->d->context, array, i, 1, element, h->e);
  if (err)
    return stop(L, h, LAUNCH_STOPPED, err);
  return push_element(L, p->dtype, element);
}

static int array_newindex(lua_State *L) {
  struct host *h = host_of(L);
  int array;
  const struct exercise_param *p = check_array(L, h, &array);
  size_t i = check_index(L, h, array);
  double value = luaL_checknumber(L, 3);
  char element[16];
  check_writable(L, p);
  count_move(L, h, 1);
  case_store(p->dtype, element, 0, value);
  enum err err = h->d->write(h->d->context, array, i, 1, element, h->e);
  return err ? stop(L, h, LAUNCH_STOPPED, err) : 0;
}

static int array_len(lua_State *L) {
  int array;
  struct host *h = host_of(L);
  check_array(L, h, &array);
  lua_pushinteger(L, (lua_Integer)h->in->args[array].count);
  return 1;
}

// ---- Kernels ----

static const struct exercise_kernel *
kernel_of(const struct host *h, const struct exercise_launch *l) {
  return &h->ex->kernels[l->kernel];
}

static void take_array(lua_State *L, const struct host *h,
                       const struct exercise_kernel *k, int i,
                       struct launch_arg *out) {
  const struct exercise_param *want = &k->params[i];
  const struct object *o = luaL_testudata(L, i + 1, ARRAY_TYPE);
  if (!o)
    luaL_error(L, "%s of %s is an array of args, not %s", want->name, k->name,
               luaL_typename(L, i + 1));
  const struct exercise_param *have = &h->ex->params[o->index];
  if (have->dtype != want->dtype ||
      (have->direction == PARAM_TEXTURE) != (want->direction == PARAM_TEXTURE))
    luaL_error(L, "%s of %s is \"%s\", and %s is \"%s\"", want->name, k->name,
               want->declared, have->name, have->declared);
  if (have->direction == PARAM_IN && want->direction != PARAM_IN)
    luaL_error(L,
               "%s is an input, and %s may write its %s: hand it an out, "
               "inout or scratch array",
               have->name, k->name, want->name);
  out->array = o->index;
}

static bool holds(enum dtype t, lua_Integer n) {
  int bits = 8 * (int)dtype_bytes(t);
  if (t == DTYPE_BOOL)
    return n == 0 || n == 1;
  if (bits == 64)
    return dtype_kind(t) == 'i' || n >= 0;
  if (dtype_kind(t) == 'u')
    return n >= 0 && n >> bits == 0;
  return n >= -(INT64_C(1) << (bits - 1)) && n < INT64_C(1) << (bits - 1);
}

static void take_number(lua_State *L, const struct exercise_kernel *k, int i,
                        struct launch_arg *out) {
  const struct exercise_param *want = &k->params[i];
  int is_whole = 0;
  if (lua_type(L, i + 1) != LUA_TNUMBER)
    luaL_error(L, "%s of %s is a number, not %s", want->name, k->name,
               luaL_typename(L, i + 1));
  out->array = -1;
  out->number = lua_tonumber(L, i + 1);
  out->integer = lua_tointegerx(L, i + 1, &is_whole);
  if (dtype_kind(want->dtype) == 'f')
    return;
  if (!is_whole || !holds(want->dtype, out->integer))
    luaL_error(L, "%s of %s is \"%s\", which does not hold %s", want->name,
               k->name, want->declared, luaL_tolstring(L, i + 1, NULL));
}

// k[{blocks, threads}](...): upvalue 1 is the launch without its arguments.
static int launch(lua_State *L) {
  struct host *h = host_of(L);
  struct exercise_launch *l = lua_touserdata(L, lua_upvalueindex(1));
  const struct exercise_kernel *k = kernel_of(h, l);
  if (lua_gettop(L) != k->param_count)
    return luaL_error(L, "%s takes %d arguments and is given %d: %s", k->name,
                      k->param_count, lua_gettop(L), k->signature);
  for (int i = 0; i < k->param_count; i++) {
    l->args[i] = (struct launch_arg){0};
    if (k->params[i].is_array)
      take_array(L, h, k, i, &l->args[i]);
    else
      take_number(L, k, i, &l->args[i]);
  }
  if (h->launches == h->ex->most_launches) {
    err_set(h->e, ERR_TIMEOUT,
            "kernels were launched %d times, and there was no end",
            h->launches);
    return stop(L, h, LAUNCH_ENDLESS, ERR_OK);
  }
  l->number = ++h->launches;
  enum err err = h->d->launch(h->d->context, l, h->e);
  return err ? stop(L, h, LAUNCH_STOPPED, err) : 0;
}

// A number or a list of up to three at the top of the stack, which is popped.
static void take_size(lua_State *L, const char *what, const char *kernel,
                      uint32_t out[3]) {
  bool is_list = lua_istable(L, -1);
  for (int i = 0; i < 3; i++) {
    int is_whole = 1;
    lua_Integer n = 1;
    if (is_list)
      lua_rawgeti(L, -1, i + 1);
    else
      lua_pushvalue(L, -1);
    if (i == 0 || (is_list && !lua_isnil(L, -1)))
      n = lua_tointegerx(L, -1, &is_whole);
    if (!is_whole || n < 1 || n > INT32_MAX)
      luaL_error(L,
                 "the %s of %s is %s: it is 1 or more, or up to three such "
                 "numbers",
                 what, kernel, luaL_tolstring(L, -1, NULL));
    out[i] = (uint32_t)n;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// Pushes element `i` of the table at index 2, else its field `name`.
static void push_setting(lua_State *L, int i, const char *name) {
  if (lua_rawgeti(L, 2, i) != LUA_TNIL)
    return;
  lua_pop(L, 1);
  lua_getfield(L, 2, name);
}

static void check_settings(lua_State *L) {
  lua_pushvalue(L, 2);
  char *why = exercise_unknown_setting(L, EXERCISE_CUDA, true);
  if (why) {
    lua_pushstring(L, why);
    free(why);
    luaL_error(L, "%s", lua_tostring(L, -1));
  }
  lua_pop(L, 1);
}

// k[{blocks, threads}], k{grid =, block =, shared =, cooperative =}
static int kernel_configure(lua_State *L) {
  struct host *h = host_of(L);
  const struct object *o = luaL_checkudata(L, 1, KERNEL_TYPE);
  const char *name = h->ex->kernels[o->index].name;
  if (!lua_istable(L, 2))
    return luaL_error(L, "%s is launched as %s[{blocks, threads}](...)", name,
                      name);
  check_settings(L);
  struct exercise_launch *l = lua_newuserdatauv(L, sizeof *l, 0);
  memset(l, 0, sizeof *l);
  l->kernel = o->index;
  push_setting(L, 1, "grid");
  take_size(L, "grid", name, l->grid);
  push_setting(L, 2, "block");
  take_size(L, "block", name, l->block);
  lua_getfield(L, 2, "shared");
  lua_Integer bytes = lua_isnil(L, -1) ? 0 : luaL_checkinteger(L, -1);
  if (bytes < 0 || bytes > INT32_MAX)
    return luaL_error(L, "shared is a number of bytes, not %I", bytes);
  l->shared_bytes = (uint32_t)bytes;
  lua_getfield(L, 2, "cooperative");
  l->is_cooperative = lua_toboolean(L, -1);
  lua_pop(L, 2); // [.., launch]
  lua_pushcclosure(L, launch, 1);
  return 1;
}

// A name that `kernels` does not have.
static int no_kernel(lua_State *L) {
  struct host *h = host_of(L);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 0; i < h->ex->kernel_count; i++) {
    luaL_addstring(&b, i ? ", " : "");
    luaL_addstring(&b, h->ex->kernels[i].name);
  }
  luaL_pushresult(&b);
  const char *list = lua_tostring(L, -1), *name = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "there is no kernel \"%s\"; there are: %s", name, list);
}

// ---- The function ----

static void make_types(lua_State *L) {
  static const luaL_Reg array[] = {{"__index", array_index},
                                   {"__newindex", array_newindex},
                                   {"__len", array_len},
                                   {NULL, NULL}};
  static const luaL_Reg kernel[] = {{"__index", kernel_configure},
                                    {"__call", kernel_configure},
                                    {NULL, NULL}};
  if (luaL_newmetatable(L, ARRAY_TYPE))
    luaL_setfuncs(L, array, 0);
  if (luaL_newmetatable(L, KERNEL_TYPE))
    luaL_setfuncs(L, kernel, 0);
  lua_pop(L, 2);
}

static void push_args(lua_State *L, const struct host *h) {
  lua_createtable(L, 0, h->ex->param_count);
  for (int i = 0; i < h->ex->param_count; i++) {
    const struct exercise_param *p = &h->ex->params[i];
    if (p->direction == PARAM_CONSTANT)
      continue; // filled before, and no argument
    if (p->direction != PARAM_VALUE)
      push_object(L, ARRAY_TYPE, i);
    else if (dtype_kind(p->dtype) == 'f')
      lua_pushnumber(L, h->in->args[i].number);
    else
      lua_pushinteger(L, h->in->args[i].integer);
    lua_setfield(L, -2, p->name);
  }
}

static void push_kernels(lua_State *L, const struct host *h) {
  lua_createtable(L, 0, h->ex->kernel_count);
  for (int i = 0; i < h->ex->kernel_count; i++) {
    push_object(L, KERNEL_TYPE, i);
    lua_setfield(L, -2, h->ex->kernels[i].name);
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, no_kernel);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

static int run(lua_State *L) {
  struct host *h = lua_touserdata(L, 2); // [description, host]
  lua_settop(L, 2);
  make_types(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key); // [description]
  lua_getfield(L, 1, "launches");
  push_args(L, h);
  push_kernels(L, h);
  case_push(L, h->in->index, &h->in->changes);
  lua_call(L, 3, 0);
  return 0;
}

static enum err launch_several(struct host *h) {
  lua_State *L = h->ex->L;
  struct err_info why = {0};
  lua_pushcfunction(L, run);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, h);
  enum err err = exercise_call(h->ex, 2, 0, &why);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key);
  if (err && h->end == LAUNCH_DONE) {
    h->end = LAUNCH_RAISED;
    err_set(h->e, ERR_ARGUMENT, "%s", why.text);
  }
  return h->err;
}

static enum err launch_once(const struct exercise *ex,
                            const struct case_input *in,
                            const struct launch_device *d, struct err_info *e) {
  struct exercise_launch l = {
      .number = 1,
      .shared_bytes = in->shared_bytes,
      .is_cooperative = in->is_cooperative,
  };
  memcpy(l.grid, in->grid, sizeof l.grid);
  memcpy(l.block, in->block, sizeof l.block);
  for (int i = 0, n = 0; i < ex->param_count; i++)
    if (ex->params[i].direction != PARAM_CONSTANT)
      l.args[n++] =
          (struct launch_arg){ex->params[i].is_array ? i : -1,
                              in->args[i].integer, in->args[i].number};
  return d->launch(d->context, &l, e);
}

enum err exercise_launch(const struct exercise *ex, const struct case_input *in,
                         const struct launch_device *d, enum launch_end *end,
                         struct err_info *e) {
  struct host h = {.ex = ex, .in = in, .d = d, .e = e};
  enum err err =
      ex->most_launches ? launch_several(&h) : launch_once(ex, in, d, e);
  *end = err ? LAUNCH_STOPPED : h.end;
  return err;
}
