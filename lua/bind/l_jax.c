// SPDX-License-Identifier: Apache-2.0
// Opens `jax` and `jnp`, which are written in Lua (lua/jax). They are loaded
// when first used. What those files need from C is in the table `use`, which
// they call for one another: use("core").
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/nearest.h"
#include "lua/bind/array.h"
#include "lua/bind/bind.h"
#include "lua/bind/l_jax.h"
#include "lua/bind/np.h"

static const char *const USE = "warpshop.jax.use";
static const char *const FUNCTIONS = "warpshop.jnp"; // name -> function

// ---- Which values are jax's ----

bool np_is_jax(lua_State *L, int i) {
  switch (lua_type(L, i)) {
  case LUA_TUSERDATA: {
    const struct array *a = array_test(L, i);
    return a && a->is_jax;
  }
  case LUA_TTABLE: {
    if (luaL_getmetafield(L, i, "__name") == LUA_TNIL)
      return false;
    const char *name = lua_tostring(L, -1);
    bool is_tracer = name && !strcmp(name, "jax.Tracer");
    lua_pop(L, 1);
    return is_tracer;
  }
  default: return false;
  }
}

static bool is_on_device(lua_State *L, int i) {
  const struct array *a = array_test(L, i);
  return a && !a->is_jax && array_is_device(a);
}

// A list of arrays, as concatenate takes, is looked into.
static bool has(lua_State *L, int i, bool (*is)(lua_State *L, int i)) {
  if (is(L, i))
    return true;
  if (lua_type(L, i) != LUA_TTABLE || lua_getmetatable(L, i)) {
    lua_settop(L, lua_gettop(L) - (lua_type(L, i) == LUA_TTABLE));
    return false;
  }
  bool found = false;
  for (lua_Integer n = 1; !found; n++) {
    if (lua_rawgeti(L, i, n) == LUA_TNIL) {
      lua_pop(L, 1);
      return false;
    }
    found = is(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  return found;
}

static bool has_any(lua_State *L, int count, bool (*is)(lua_State *L, int i)) {
  for (int i = 1; i <= count; i++)
    if (has(L, i, is))
      return true;
  return false;
}

bool np_has_jax(lua_State *L, int count) {
  return has_any(L, count, np_is_jax);
}

// These only look at memory in another way, on the device too.
static bool makes_view(const char *name) {
  static const char *const names[] = {
      "reshape", "transpose", "swapaxes",     "moveaxis", "squeeze",
      "flip",    "view",      "expand_dims",  "shape",    "ndim",
      "size",    "ravel",     "broadcast_to", NULL,
  };
  for (int i = 0; names[i]; i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

// Pushes jnp's function of the name, or nil; its type.
static int push_function(lua_State *L, const char *name) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, FUNCTIONS) != LUA_TTABLE)
    return LUA_TNIL;          // not opened yet
  lua_getfield(L, -1, "abs"); // the first look at jnp fills it
  lua_pop(L, 1);
  lua_pushstring(L, name);
  int type = lua_rawget(L, -2);
  lua_remove(L, -2);
  return type;
}

// Pushes the function that computes np.NAME of device arrays, and NAME, where
// there is one.
static bool push_on_device(lua_State *L, const char *name) {
  if (makes_view(name))
    return false;
  bool is_known = push_function(L, name) != LUA_TNIL;
  lua_pop(L, 1);
  if (!is_known)
    return false;
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushliteral(L, "device");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "call");
  lua_remove(L, -2);
  lua_pushstring(L, name);
  return true;
}

// Pushes a function of lua/jax/device.lua; false where there is no jax.
static bool push_of_device(lua_State *L, const char *name) {
  if (push_function(L, "abs") == LUA_TNIL) // opens what is not open yet
    return false;
  lua_pop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushliteral(L, "device");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  return true;
}

int np_index_device(lua_State *L, int key, bool is_checked) {
  key = lua_absindex(L, key);
  if (!push_of_device(L, "index"))
    return -1;
  lua_pushvalue(L, 1);
  lua_pushvalue(L, key);
  lua_pushboolean(L, is_checked);
  lua_call(L, 3, 1);
  return 1;
}

bool np_assign_device(lua_State *L, bool is_checked) {
  if (!push_of_device(L, "assign"))
    return false;
  for (int i = 1; i <= 3; i++)
    lua_pushvalue(L, i);
  lua_pushboolean(L, is_checked);
  lua_call(L, 4, 0);
  return true;
}

bool np_has_device(lua_State *L, int count) {
  return has_any(L, count, is_on_device);
}

int np_call_device(lua_State *L, const char *name) {
  int count = lua_gettop(L);
  if (!push_on_device(L, name))
    return -1;
  lua_insert(L, 1); // [name, args.., function]
  lua_insert(L, 1); // [function, name, args..]
  lua_call(L, count + 1, LUA_MULTRET);
  return lua_gettop(L);
}

void np_push_jnp(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, FUNCTIONS);
}

// x:tolist(), x:item(): of the array on the host. The method on top of the
// arguments is np's own.
static bool call_on_host(lua_State *L, const char *name) {
  if ((strcmp(name, "tolist") && strcmp(name, "item")) || !array_test(L, 1))
    return false;
  lua_getglobal(L, "np");
  lua_getfield(L, -1, "asarray");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return true;
}

int np_call_jax(lua_State *L, const char *name) {
  if (call_on_host(L, name))
    return lua_gettop(L);
  int count = lua_gettop(L);
  if (push_function(L, name) == LUA_TNIL)
    bind_error(L, ERR_UNSUPPORTED,
               "np.%s works on the host's arrays, and does not take jax arrays "
               "or traced values: np.asarray(x) gives one that it takes, "
               "outside of jit, vmap and grad",
               name);
  lua_insert(L, 1);
  lua_call(L, count, LUA_MULTRET);
  return lua_gettop(L);
}

// A function of np: jnp's of this name where an argument is jax's, or lives on
// a device.
static int dispatch(lua_State *L) {
  if (np_has_jax(L, lua_gettop(L)))
    return np_call_jax(L, lua_tostring(L, lua_upvalueindex(2)));
  if (np_has_device(L, lua_gettop(L))) {
    int given = np_call_device(L, lua_tostring(L, lua_upvalueindex(2)));
    if (given >= 0)
      return given;
  }
  lua_CFunction own = lua_tocfunction(L, lua_upvalueindex(1));
  if (own && !lua_getupvalue(L, lua_upvalueindex(1), 1))
    return own(L);
  int count = lua_gettop(L) - (own ? 1 : 0);
  lua_settop(L, count);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, LUA_MULTRET);
  return lua_gettop(L);
}

static int make_array(lua_State *L);

const char *np_function_name(lua_State *L) {
  lua_Debug ar;
  for (int level = 0; level < 3 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "f", &ar);
    lua_CFunction f = lua_tocfunction(L, -1);
    const char *name = NULL;
    if ((f == dispatch || f == make_array) && lua_getupvalue(L, -1, 2)) {
      name = lua_tostring(L, -1); // the closure keeps it
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (name)
      return name;
  }
  return NULL;
}

void np_check_any(lua_State *L, int i) {
  if (lua_type(L, i) != LUA_TNONE)
    return;
  const char *name = np_function_name(L);
  if (!name)
    luaL_argerror(L, i, "value expected");
  bind_error(L, ERR_ARGUMENT, "%s: argument %d is missing; ?np.%s says more",
             name, i, name);
}

// Those functions of np, which cannot take a traced value: it has no elements.
static int make_array(lua_State *L) {
  if (lua_istable(L, 1) && np_is_jax(L, 1))
    bind_error(L, ERR_ARGUMENT,
               "TracerArrayConversionError: np.%s brings values to the host, "
               "and a traced value has none while the function is traced. "
               "Compute with it by jnp, or convert the function's result",
               lua_tostring(L, lua_upvalueindex(2)));
  int count = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, LUA_MULTRET);
  return lua_gettop(L);
}

// These bring jax arrays to the host.
static bool makes_arrays(const char *name) {
  static const char *const names[] = {"array",  "asarray",         "asnumpy",
                                      "save",   "savez",           "savetxt",
                                      "tofile", "savez_compressed"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

void np_wrap_functions(lua_State *L) {
  lua_newtable(L); // [np, new]
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_CFunction own = lua_tocfunction(L, -1);
    if (lua_isfunction(L, -1) && own != dispatch && own != make_array) {
      lua_pushvalue(L, -2); // [np, new, name, f, name]
      lua_pushvalue(L, -2); // ..., f
      lua_pushvalue(L, -4); // ..., name
      bool makes = makes_arrays(lua_tostring(L, -1));
      lua_pushcclosure(L, makes ? make_array : dispatch, 2);
      // [np, new, name, f, name, wrapped]
      lua_rawset(L, -5);
    }
    lua_pop(L, 1);
  }
  array_push_methods(L); // [np, new, methods]
  lua_pushnil(L);
  while (lua_next(L, -3)) { // [np, new, methods, name, wrapped]
    lua_pushvalue(L, -2);
    lua_rawget(L, -6);
    lua_pushvalue(L, -3);
    bool is_method = lua_rawget(L, -5) && lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -7);
    if (is_method) {
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -5);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

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
  if (!lcuda_variable_name(L, array_check(L, 1)->storage, name, sizeof name))
    return 0;
  lua_pushstring(L, name);
  return 1;
}

static int l_is_array(lua_State *L) {
  lua_pushboolean(L, array_test(L, 1) != NULL);
  return 1;
}

static int l_is_jax(lua_State *L) {
  lua_pushboolean(L, np_is_jax(L, 1));
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
  lua_pushstring(L, array_where(array_check(L, 1)));
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
  lua_pushinteger(L,
                  walk_set_threads(n ? n : (int)sysconf(_SC_NPROCESSORS_ONLN)));
  return 1;
}

// on_index{get, refuse}: how x[key] of a jax array is read, and what x[key] = y
// raises.
static int l_on_index(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  np_set_jax_index(L);
  return 0;
}

// raise(kind, text)
static int l_raise(lua_State *L) {
  const char *kind = luaL_checkstring(L, 1);
  for (int k = 1; k < ERR_COUNT; k++)
    if (!strcmp(kind, err_kind((enum err)k)))
      bind_error(L, (enum err)k, "%s", luaL_checkstring(L, 2));
  bind_error(L, ERR_INTERNAL, "no kind of error: %s", kind);
}

// nearest(word, names): the name that is nearest to the word, or nil.
static int l_nearest(lua_State *L) {
  struct nearest near = nearest_to(luaL_checkstring(L, 1));
  lua_Integer n = luaL_len(L, 2);
  for (lua_Integer i = 1; i <= n; i++) {
    size_t bytes;
    lua_rawgeti(L, 2, i); // the table keeps the text
    const char *name = lua_tolstring(L, -1, &bytes);
    nearest_try(&near, name, bytes);
    lua_pop(L, 1);
  }
  lua_pushstring(L, near.name);
  return 1;
}

// dtype_advice(text): what stands behind "there is no dtype ...".
static int l_dtype_advice(lua_State *L) {
  lua_pushstring(L, np_dtype_advice(L, luaL_checkstring(L, 1)));
  return 1;
}

// warn(text): said once by the program, where it has a hook.
static int l_warn(lua_State *L) {
  log_say(LOG_WARNING, "%s", luaL_checkstring(L, 1));
  return 0;
}

// Runs lua/jax/NAME.lua (lua/NAME.lua where NAME begins with cuda/) with `use`,
// and pushes what it returns.
static void run_file(lua_State *L, const char *name) {
  lua_pushfstring(
      L, strncmp(name, "cuda/", 5) ? "lua/jax/%s.lua" : "lua/%s.lua", name);
  bind_push_chunk(L, lua_tostring(L, -1));
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_call(L, 1, 1);
  lua_remove(L, -2);
}

// use(name): what that file returned; it is run once.
static int l_use(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  lua_getfield(L, lua_upvalueindex(1), name);
  if (!lua_isnil(L, -1))
    return 1;
  run_file(L, name);
  if (lua_isnil(L, -1))
    lua_pushboolean(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, lua_upvalueindex(1), name);
  return 1;
}

// Makes `use`; [np] stays.
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
      {"is_array", l_is_array},
      {"is_jax", l_is_jax},
      {"is_weak", l_is_weak},
      {"raise", l_raise},
      {"await", l_await},
      {"variable_name", l_variable_name},
      {"on_index", l_on_index},
      {"set_threads", l_set_threads},
      {"warn", l_warn},
      {"guard_names", l_guard_names},
      {"guard_method", l_guard_method},
      {"nearest", l_nearest},
      {"dtype_advice", l_dtype_advice},
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
  lua_newtable(L);
  lua_newtable(L); // what is loaded
  lua_pushcclosure(L, l_use, 1);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, USE);
}

// The first look at a field of jax or jnp (upvalue 1: which) loads both; the
// fields then lie in the tables themselves.
static int first_look(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushliteral(L, "init");
  lua_call(L, 1, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushliteral(L, "exec");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "is_on_host");
  if (!lua_toboolean(L, -1))
    bind_note_no_gpu(L);
  lua_settop(L, 2);
  lua_gettable(L, 1);
  return 1;
}

// pairs(jnp): what is there once it is loaded.
static int first_pairs(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  lua_getglobal(L, "next");
  lua_pushvalue(L, 1);
  return 2;
}

// A function of cuda that is written in Lua on top of jax's parts. Upvalues:
// its name, its file. The first call puts the function in its own place.
static int first_call(lua_State *L) {
  int count = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  lua_pushvalue(L, -1);
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_call(L, 1, 1);
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
  };
  lua_getglobal(L, "cuda");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushstring(L, functions[i][0]);
    lua_pushstring(L, functions[i][1]);
    lua_pushcclosure(L, first_call, 2);
    lua_setfield(L, -2, functions[i][0]);
  }
  // Values, which are there before they are called: gpus, random ...
  run_file(L, "cuda/names"); // [cuda, names]
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 2);
}

static void push_module(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, first_look);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, first_pairs);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, -2);
}

void ljax_open(lua_State *L) {
  open_methods(L);
  make_use(L);
  add_cuda_functions(L);
  lua_getfield(L, LUA_REGISTRYINDEX, USE);
  push_module(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "jax");
  lua_setglobal(L, "jax");
  push_module(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, FUNCTIONS);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "jnp");
  lua_setglobal(L, "jnp");
  lua_pop(L, 1);
}
