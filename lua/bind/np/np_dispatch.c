// SPDX-License-Identifier: Apache-2.0
// np's functions of arrays that are jax's, or live on a device: who computes
// them instead.
#include "lua/bind/np/np.h"

#include <string.h>

#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

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

int np_l_is_jax(lua_State *L) {
  lua_pushboolean(L, np_is_jax(L, 1));
  return 1;
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

// Neither jax's nor a device's is among these, nor a table that might hold one:
// what most calls get, and one look at each argument tells.
static bool is_plain(lua_State *L, int count) {
  for (int i = 1; i <= count; i++) {
    int type = lua_type(L, i);
    const struct array *a = type == LUA_TUSERDATA ? array_test(L, i) : NULL;
    if (type == LUA_TTABLE || (type == LUA_TUSERDATA && !a) ||
        (a && (a->is_jax || array_is_device(a))))
      return false;
  }
  return true;
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
  if (lua_getfield(L, LUA_REGISTRYINDEX, NP_JNP_FUNCTIONS) != LUA_TTABLE)
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
  lua_getfield(L, LUA_REGISTRYINDEX, NP_JAX_USE);
  lua_pushliteral(L, "jnp/device");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "call");
  lua_remove(L, -2);
  lua_pushstring(L, name);
  return true;
}

// Pushes a function of lua/jax/jnp/device.lua; false where there is no jax.
static bool push_of_device(lua_State *L, const char *name) {
  if (push_function(L, "abs") == LUA_TNIL) // opens what is not open yet
    return false;
  lua_pop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, NP_JAX_USE);
  lua_pushliteral(L, "jnp/device");
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
  lua_getfield(L, LUA_REGISTRYINDEX, NP_JNP_FUNCTIONS);
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

// ---- Values of other libraries ----

// -1: none is among the arguments.
static int call_other(lua_State *L, const char *name) {
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    if (!lua_istable(L, i) ||
        luaL_getmetafield(L, i, "__np_function") == LUA_TNIL)
      continue;
    lua_insert(L, 1);
    lua_pushstring(L, name);
    lua_insert(L, 2); // [function, name, args..]
    lua_call(L, count + 1, LUA_MULTRET);
    return lua_gettop(L);
  }
  return -1;
}

int np_call_elsewhere(lua_State *L, const char *name) {
  int count = lua_gettop(L);
  if (is_plain(L, count))
    return -1;
  int given = call_other(L, name);
  if (given >= 0)
    return given;
  if (np_has_jax(L, count))
    return np_call_jax(L, name);
  return np_has_device(L, count) ? np_call_device(L, name) : -1;
}

// A function of np: jnp's of this name where an argument is jax's, or lives on
// a device; another library's where an argument is of it.
static int dispatch(lua_State *L) {
  int given = np_call_elsewhere(L, lua_tostring(L, lua_upvalueindex(2)));
  if (given >= 0)
    return given;
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
