// SPDX-License-Identifier: Apache-2.0
// Marks for profilers: cuda.range, over NVIDIA's marker library where it is.
#include "lua/bind/cuda/l_cuda_range.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <string.h>

#include "lua/bind/cuda/l_cuda.h"

// A function of NVTX, or NULL: without the library a range only calls.
static void *nvtx_symbol(struct lcuda *c, const char *name) {
  if (!c->has_looked_for_nvtx && !c->options.sandboxed)
    c->nvtx = dlopen("libnvToolsExt.so.1", RTLD_LAZY | RTLD_LOCAL);
  c->has_looked_for_nvtx = true;
  return c->nvtx ? dlsym(c->nvtx, name) : NULL;
}

// nvtxEventAttributes_t of NVTX 3 (nvToolsExt.h): colour type 1 is ARGB,
// message type 1 a text.
struct nvtx_event {
  uint16_t version, size;
  uint32_t category;
  int32_t colour_type;
  uint32_t colour;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
};

static uint32_t colour_at(lua_State *L, int i) {
  static const struct {
    const char *name;
    uint32_t argb;
  } colours[] = {
      {"red", 0xffff0000},    {"green", 0xff00ff00},  {"blue", 0xff0000ff},
      {"yellow", 0xffffff00}, {"cyan", 0xff00ffff},   {"magenta", 0xffff00ff},
      {"orange", 0xffffa500}, {"purple", 0xff800080}, {"white", 0xffffffff},
      {"gray", 0xff808080},   {"black", 0xff000000},
  };
  if (lua_isinteger(L, i)) // 0xAARRGGBB
    return (uint32_t)lua_tointeger(L, i);
  const char *name = lua_tostring(L, i);
  for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
    if (!strcmp(colours[k].name, name))
      return colours[k].argb;
  bind_error(L, ERR_ARGUMENT,
             "cuda.range: \"%s\" is no colour: red, green, blue, yellow, "
             "cyan, magenta, orange, purple, white, gray, black, or a number "
             "0xAARRGGBB",
             name);
}

// cuda.range(name, [colour,] f, ...): f(...) between two NVTX marks.
static int l_range(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  struct lcuda *c = lcuda_of(L);
  int (*push)(const struct nvtx_event *);
  int (*pop)(void);
  uint32_t argb = 0;
  bool has_colour = lua_type(L, 2) == LUA_TSTRING || lua_isinteger(L, 2);
  if (has_colour) {
    argb = colour_at(L, 2);
    lua_remove(L, 2);
  }
  int n = lua_gettop(L);
  if (!lua_isfunction(L, 2) && luaL_getmetafield(L, 2, "__call") == LUA_TNIL)
    bind_error(L, ERR_ARGUMENT,
               "cuda.range(name, f) needs a function, not %s: put function() "
               "return ... end around what is to be marked",
               lua_isnoneornil(L, 2)
                   ? "nothing"
                   : lua_pushfstring(L, "a %s", luaL_typename(L, 2)));
  lua_settop(L, n);
  *(void **)&push = nvtx_symbol(c, "nvtxRangePushEx");
  *(void **)&pop = nvtx_symbol(c, "nvtxRangePop");
  if (push)
    push(&(struct nvtx_event){.version = 3,
                              .size = sizeof(struct nvtx_event),
                              .colour_type = has_colour,
                              .colour = argb,
                              .message_type = 1,
                              .message = name});
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  if (pop)
    pop();
  if (status != LUA_OK)
    return lua_error(L);
  return lua_gettop(L) - 1;
}

int lcuda_open_range(lua_State *L) {
  lua_pushcfunction(L, l_range);
  lua_setfield(L, -2, "range");
  return 1;
}
