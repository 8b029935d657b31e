// SPDX-License-Identifier: Apache-2.0
// Opens `jax` and `jnp`, which are written in Lua (lua/jax). They are loaded
// when first used. What those files need from C is in the table `use`, which
// they call for one another: use("core/core").
#include "lua/bind/jax/l_jax.h"

#include <stdlib.h>
#include <unistd.h>

#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// ---- What the Lua files need ----

// mark(x, is_weak): the same elements as a jax array.
static int l_mark(lua_State *L) {
  struct array *a = array_check(L, 1);
  bool is_weak = lua_toboolean(L, 2);
  struct array *v =
      np_push_view(L, a, a->offset, a->ndim, a->shape, a->strides);
  v->is_readonly = true;
  v->is_jax = true;
  v->is_weak = is_weak;
  return 1;
}

static int l_unmark(lua_State *L) {
  struct array *a = array_check(L, 1);
  struct array *v =
      np_push_view(L, a, a->offset, a->ndim, a->shape, a->strides);
  v->is_jax = v->is_weak = v->is_readonly = false;
  return 1;
}

// variable_name(x): the script's variable that holds the array, or nil.
static int l_variable_name(lua_State *L) {
  char name[80];
  if (!array_variable_name(L, array_check(L, 1)->storage, name, sizeof name))
    return 0;
  lua_pushstring(L, name);
  return 1;
}

static int l_is_weak(lua_State *L) {
  const struct array *a = array_test(L, 1);
  lua_pushboolean(L, a && a->is_weak);
  return 1;
}

// await(x): until what writes the array is done.
static int l_await(lua_State *L) {
  array_await(L, array_check(L, 1), false);
  return 0;
}

// x:block_until_ready()
static int l_block_until_ready(lua_State *L) {
  array_await(L, array_check(L, 1), false);
  lua_settop(L, 1);
  return 1;
}

// x:devices(): the ids of where it is.
static int l_devices(lua_State *L) {
  lua_createtable(L, 1, 0);
  lua_pushstring(L, array_where(L, array_check(L, 1)));
  lua_rawseti(L, -2, 1);
  return 1;
}

static void open_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"block_until_ready", l_block_until_ready},
      {"devices", l_devices},
      {NULL, NULL},
  };
  array_push_methods(L);
  luaL_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}

// set_threads(n): np's elementwise functions on n threads (0: one for each
// core); how many it was.
static int l_set_threads(lua_State *L) {
  int n = (int)luaL_checkinteger(L, 1);
  lua_pushinteger(
      L, walk_set_threads(L, n ? n : (int)sysconf(_SC_NPROCESSORS_ONLN)));
  return 1;
}

// A jitted function is traced.
static int l_count_trace(lua_State *L) {
  lcuda_count(lcuda_of(L), GPU_CALL_TRACES, 1);
  return 0;
}

// on_index{get, refuse}: how x[key] of a jax array is read, and what x[key] = y
// raises.
static int l_on_index(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  np_set_jax_index(L);
  return 0;
}

// dtype_advice(text): what stands behind "there is no dtype ...".
static int l_dtype_advice(lua_State *L) {
  lua_pushstring(L, np_dtype_advice(L, luaL_checkstring(L, 1)));
  return 1;
}

// use.guard_method(x, name, method), called by what x.name calls.
static int l_guard_method(lua_State *L) {
  lua_settop(L, 3);
  bind_guard_method(L, 1, luaL_checkstring(L, 2), 2);
  return 1;
}

// use.guard_names(table, name, types): types[key] = {text, function}
static int l_guard_names(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  lua_settop(L, 3);
  lua_pushvalue(L, 1);
  bind_guard_names(L, name, 3);
  return 0;
}

static void make_use(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"mark", l_mark},
      {"unmark", l_unmark},
      {"is_array", array_l_is},
      {"is_jax", np_l_is_jax},
      {"is_weak", l_is_weak},
      {"raise", bind_l_raise},
      {"await", l_await},
      {"variable_name", l_variable_name},
      {"on_index", l_on_index},
      {"set_threads", l_set_threads},
      {"warn", bind_l_warn},
      {"count_trace", l_count_trace},
      {"guard_names", l_guard_names},
      {"guard_method", l_guard_method},
      {"nearest", bind_l_nearest},
      {"dtype_advice", l_dtype_advice},
      {"comm_join", lcomm_l_join},
      {"comm_queue", lcomm_l_queue},
      {"comm_pairs", lcomm_l_pairs},
      {"comm_array", lcomm_l_array},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  ljax_open_exec(L);
  ljax_open_calls(L);
  ljax_open_eval(L);
  ljax_open_watch(L);
  ljax_open_scatter(L);
  lua_getglobal(L, "np");
  lua_setfield(L, -2, "np");
  lua_getfield(L, LUA_REGISTRYINDEX, NP_CORE);
  lua_setfield(L, -2, "np_core");
  lua_getglobal(L, "cuda");
  lua_setfield(L, -2, "cuda");
  np_open_lapack(L);
  np_open_fft(L);
  bind_make_use(L, "lua/jax", "cuda/");
  lua_setfield(L, LUA_REGISTRYINDEX, NP_JAX_USE);
}

// Calls use(name) and leaves what it gives.
static void use_file(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, NP_JAX_USE);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

// Fills jax and jnp, whichever it was; a look at a field is to tell where it runs.
static int load(lua_State *L) {
  bool is_look = !lua_isnone(L, 2);
  use_file(L, "init");
  if (!is_look)
    return 0;
  use_file(L, "core/config");
  lua_getfield(L, -1, "is_on_host");
  if (!lua_toboolean(L, -1))
    bind_note_no_gpu(L);
  return 0;
}

// A function of cuda that is written in Lua on top of jax's parts. Upvalues:
// its name, its file. The first call puts the function in its own place.
static int first_call(lua_State *L) {
  int count = lua_gettop(L);
  use_file(L, "init");
  use_file(L, lua_tostring(L, lua_upvalueindex(2)));
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_gettable(L, -2); // [..., file, function]
  lua_getglobal(L, "cuda");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  lua_insert(L, 1);
  lua_settop(L, count + 1);
  lua_call(L, count, LUA_MULTRET);
  return lua_gettop(L);
}

static void add_cuda_functions(lua_State *L) {
  static const char *const functions[][2] = {
      {"ElementwiseKernel", "cuda/elementwise"},
      {"ReductionKernel", "cuda/reduction"},
      {"vectorize", "cuda/ufunc"},
      {"guvectorize", "cuda/ufunc"},
      {"fuse", "cuda/ufunc"},
      {"comm", "cuda/comm"},
  };
  lua_getglobal(L, "cuda");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushstring(L, functions[i][0]);
    lua_pushstring(L, functions[i][1]);
    lua_pushcclosure(L, first_call, 2);
    lua_setfield(L, -2, functions[i][0]);
  }
  // Values, which are there before they are called: gpus, random ...
  use_file(L, "cuda/aliases"); // [cuda, aliases]
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 2);
}

void ljax_open(lua_State *L) {
  open_methods(L);
  make_use(L);
  add_cuda_functions(L);
  lua_getfield(L, LUA_REGISTRYINDEX, NP_JAX_USE);
  bind_push_library(L, load);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "jax");
  lua_setglobal(L, "jax");
  bind_push_library(L, load);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, NP_JNP_FUNCTIONS);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "jnp");
  lua_setglobal(L, "jnp");
  lua_pop(L, 1);
}
