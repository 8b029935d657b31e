// SPDX-License-Identifier: Apache-2.0
// warpshop device, and the list that :device prints.
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "lua/bind/bind.h"
#include "repl/shop.h"

static const char *text_field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  const char *text = lua_tostring(L, -1); // stays alive in its table
  lua_pop(L, 1);
  return text ? text : "";
}

static lua_Integer attribute(lua_State *L, const char *name) {
  lua_Integer n = 0;
  if (lua_getfield(L, -1, "attributes") == LUA_TTABLE) {
    lua_getfield(L, -1, name);
    n = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return n;
}

// [device]: "* cuda:0     NVIDIA H200  sm_90, 132 multiprocessors, 139.8 GiB".
// Only the device in use is open, and only an open one tells the rest.
static void print_device(lua_State *L, const char *current) {
  const char *id = text_field(L, "id");
  printf("%s %-11s %s", strcmp(id, current) ? " " : "*", id,
         text_field(L, "name"));
  lua_getfield(L, -1, "total_memory");
  double bytes = lua_tonumber(L, -1);
  lua_pop(L, 1);
  lua_Integer processors = attribute(L, "multiprocessor_count");
  if (processors > 0)
    printf(", %s, %lld multiprocessors, %.1f GiB", text_field(L, "arch"),
           (long long)processors, bytes / (1 << 30));
  putchar('\n');
}

static int print_devices(lua_State *L) {
  char current[32];
  shop_push_field(L, "cuda", "device");
  lua_call(L, 0, 1); // opens it
  snprintf(current, sizeof current, "%s", text_field(L, "id"));
  shop_push_field(L, "cuda", "devices");
  lua_call(L, 0, 1);
  lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_geti(L, -1, i);
    print_device(L, current);
    lua_pop(L, 1);
  }
  return 0;
}

bool device_list(struct shop *s) {
  lua_pushcfunction(s->L, print_devices);
  prompt_catch_interrupts(true);
  int status = bind_pcall(s->L, 0, 0);
  prompt_catch_interrupts(false);
  if (status != LUA_OK)
    eval_show_error(s);
  return status == LUA_OK;
}

int sub_device(struct shop *s, int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    shop_say("usage: warpshop device");
    return EXIT_USAGE;
  }
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  return device_list(s) ? EXIT_PASSED : EXIT_MACHINE;
}
