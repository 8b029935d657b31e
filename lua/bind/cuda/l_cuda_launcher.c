// SPDX-License-Identifier: Apache-2.0
// k[{grid, block}]: the configuration, read and checked, and its launcher, which
// the kernel keeps for the next time.
#include "lua/bind/cuda/l_cuda_launcher.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda_launch.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_stream.h"

// ---- Configurations ----

static uint32_t check_size(lua_State *L, const char *what, int at) {
  int is_integral;
  lua_Integer n = lua_tointegerx(L, at, &is_integral);
  if (lua_type(L, at) != LUA_TNUMBER || !is_integral)
    bind_error(L, ERR_ARGUMENT,
               "%s must be a whole number or a table of up to three, not %s%s",
               what, luaL_tolstring(L, at, NULL),
               lua_type(L, at) == LUA_TNUMBER ? ": (n + 127) // 128 rounds up"
                                              : "");
  if (n < 1)
    bind_error(L, ERR_LAUNCH,
               "%s is %lld: it must be at least 1, or no thread would run",
               what, (long long)n);
  if (n > UINT32_MAX)
    bind_error(L, ERR_LAUNCH, "%s is %lld: no device has so many", what,
               (long long)n);
  return (uint32_t)n;
}

// Reads a number or a table of up to three from the top, and pops it.
static void take_triple(lua_State *L, const char *what, uint32_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_Integer n = luaL_len(L, -1);
    if (n < 1 || n > 3)
      bind_error(L, ERR_ARGUMENT, "%s has %d sizes; it takes one to three",
                 what, (int)n);
    for (int i = 0; i < n; i++) {
      lua_rawgeti(L, -1, i + 1);
      out[i] = check_size(L, what, -1);
      lua_pop(L, 1);
    }
  } else {
    out[0] = check_size(L, what, -1);
  }
  lua_pop(L, 1);
}

// Pushes field `key`, or else element `i`, of the table at `at`.
static int push_field(lua_State *L, int at, const char *key, int i) {
  if (lua_rawgeti(L, at, i) != LUA_TNIL)
    return lua_type(L, -1);
  lua_pop(L, 1);
  return lua_getfield(L, at, key);
}

static void check_keys(lua_State *L, int at) {
  static const char *const known[] = {"grid", "block", "shared", "stream",
                                      "cooperative"};
  lua_pushnil(L);
  while (lua_next(L, at)) {
    lua_pop(L, 1);
    bool is_known = lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 &&
                    lua_tointeger(L, -1) <= 4;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
      is_known |= lua_type(L, -1) == LUA_TSTRING &&
                  strcmp(lua_tostring(L, -1), known[i]) == 0;
    if (!is_known)
      bind_error(L, ERR_ARGUMENT,
                 "a launch has no setting \"%s\"; there are grid, block, "
                 "shared, stream and cooperative",
                 luaL_tolstring(L, -1, NULL));
  }
}

static void read_extras(lua_State *L, int at, struct launcher_config *out) {
  if (push_field(L, at, "stream", 3) != LUA_TNIL &&
      !(lua_isinteger(L, -1) && lua_tointeger(L, -1) == 0)) {
    out->stream = luaL_testudata(L, -1, LCUDA_STREAM);
    if (!out->stream)
      bind_error(L, ERR_ARGUMENT,
                 "the third of {blocks, threads, stream, bytes} is a stream, "
                 "not %s; shared memory has a name: k{grid = blocks, block = "
                 "threads, shared = bytes}(...)",
                 bind_value_text(L, -1));
  }
  lua_pop(L, 1);
  if (push_field(L, at, "shared", 4) != LUA_TNIL) {
    if (luaL_testudata(L, -1, LCUDA_STREAM))
      bind_error(L, ERR_ARGUMENT,
                 "the stream stands before the bytes of shared memory: "
                 "k[{blocks, threads, stream, bytes}](...), or by name, "
                 "k{grid = blocks, block = threads, stream = s}(...)");
    if (!lua_isinteger(L, -1))
      bind_error(L, ERR_ARGUMENT, "shared is a whole number of bytes, not %s",
                 bind_value_text(L, -1));
    lua_Integer bytes = lua_tointeger(L, -1);
    if (bytes < 0 || bytes > INT32_MAX)
      bind_error(L, ERR_LAUNCH, "shared is a number of bytes, not %lld",
                 (long long)bytes);
    out->shared = (uint32_t)bytes;
  }
  lua_getfield(L, at, "cooperative");
  out->flags = lua_toboolean(L, -1) ? GPU_LAUNCH_COOPERATIVE : 0;
  lua_pop(L, 2);
}

static void read_config(lua_State *L, int at, struct launcher_config *out) {
  memset(out, 0, sizeof *out);
  check_keys(L, at);
  if (push_field(L, at, "grid", 1) == LUA_TNIL)
    lkernel_call_without_grid(L);
  take_triple(L, "grid", out->grid);
  if (push_field(L, at, "block", 2) == LUA_TNIL)
    bind_error(L, ERR_ARGUMENT,
               "the launch says how many blocks, and not how many threads are "
               "in each: k[{blocks, threads}](...)");
  take_triple(L, "block", out->block);
  read_extras(L, at, out);
}

// ---- Launchers ----

static int find_cached(const struct lkernel *k,
                       const struct launcher_config *c) {
  for (int i = 0; i < k->launcher_count; i++)
    if (memcmp(&k->launchers[i], c, sizeof *c) == 0)
      return i;
  return -1;
}

static void push_new_launcher(lua_State *L, struct lkernel *k,
                              const struct launcher_config *c) {
  struct llauncher *l = lua_newuserdatauv(L, sizeof *l, 2); // [.., launcher]
  memset(l, 0, sizeof *l);
  luaL_setmetatable(L, LCUDA_LAUNCHER);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  l->kernel = k;
  l->launch.shared_bytes = c->shared;
  l->launch.flags = c->flags;
  memcpy(l->launch.grid, c->grid, sizeof c->grid);
  memcpy(l->launch.block, c->block, sizeof c->block);
}

// {32, 128} with nothing else in it, which most launches are.
static bool read_plain(lua_State *L, int at, struct launcher_config *out) {
  if (lua_rawlen(L, at) != 2)
    return false;
  lua_rawgeti(L, at, 1);
  lua_rawgeti(L, at, 2);
  bool is_plain = lua_isinteger(L, -2) && lua_isinteger(L, -1);
  lua_Integer grid = lua_tointeger(L, -2), block = lua_tointeger(L, -1);
  is_plain &= grid >= 1 && grid <= UINT32_MAX;
  is_plain &= block >= 1 && block <= UINT32_MAX;
  lua_settop(L, -3);
  lua_pushinteger(L, 2);
  if (!is_plain || lua_next(L, at)) {
    lua_settop(L, at);
    return false;
  }
  *out = (struct launcher_config){.grid = {(uint32_t)grid, 1, 1},
                                  .block = {(uint32_t)block, 1, 1}};
  return true;
}

int lkernel_push_launcher(lua_State *L, int at) {
  struct lkernel *k = *(struct lkernel **)lua_touserdata(L, 1);
  struct launcher_config c;
  if (!read_plain(L, at, &c))
    read_config(L, at, &c);
  lua_getiuservalue(L, 1, 1); // [.., launchers]
  int i = find_cached(k, &c);
  if (i >= 0) {
    lua_rawgeti(L, -1, i + 1);
    return 1;
  }
  push_new_launcher(L, k, &c); // [.., launchers, launcher]
  if (c.stream) {
    struct llauncher *l = lua_touserdata(L, -1);
    push_field(L, at, "stream", 3);
    l->stream = lua_touserdata(L, -1);
    lua_setiuservalue(L, -2, 2);
    return 1; // a stream's address may be another's later: not cached
  }
  i = k->launcher_next;
  k->launchers[i] = c;
  k->launcher_next = (i + 1) % LCUDA_LAUNCHERS;
  if (k->launcher_count < LCUDA_LAUNCHERS)
    k->launcher_count++;
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, i + 1);
  return 1;
}
