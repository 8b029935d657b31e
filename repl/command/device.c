// SPDX-License-Identifier: Apache-2.0
// warpshop device, and the list that :device prints.
#include "repl/command/command.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "cluster/cluster.h"
#include "gpu/capability.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc/nvrtc.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

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
static void add_device(lua_State *L, const char *current, struct str *out) {
  const char *id = text_field(L, "id");
  str_addf(out, "%s %-11s  %s", strcmp(id, current) ? " " : "*", id,
           text_field(L, "name"));
  lua_getfield(L, -1, "total_memory");
  double bytes = lua_tonumber(L, -1);
  lua_pop(L, 1);
  lua_Integer processors = attribute(L, "multiprocessor_count");
  if (processors > 0)
    str_addf(out, message(", %s, %lld multiprocessors, %.1f GiB"),
             text_field(L, "arch"), (long long)processors, bytes / (1 << 30));
  str_add_char(out, '\n');
}

// [shop]
static int print_devices(lua_State *L) {
  struct shop *s = lua_touserdata(L, 1);
  struct str out = STR_INIT;
  char current[32];
  shop_push_field(L, "cuda", "device");
  lua_call(L, 0, 1); // opens it
  snprintf(current, sizeof current, "%s", text_field(L, "id"));
  char *compiled = xstrdup(text_field(L, "compiled"));
  shop_push_field(L, "cuda", "devices");
  lua_call(L, 0, 1);
  lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_geti(L, -1, i);
    add_device(L, current, &out);
    lua_pop(L, 1);
  }
  str_add(&out, compiled); // where WARPSHOP_TIER asks for it
  free(compiled);
  shop_print(s, "%s", out.data);
  str_free(&out);
  return 0;
}

// Where there is no GPU because they are upstairs.
static void tell_login_node(struct shop *s) {
  char *line = login_is_here() ? login_line() : NULL;
  if (line)
    shop_print(s, "This is a cluster's login node. This gets a GPU:\n  %s",
               line);
  free(line);
}

bool device_list(struct shop *s) {
  lua_pushcfunction(s->L, print_devices);
  lua_pushlightuserdata(s->L, s);
  terminal_catch_interrupts(true);
  int status = bind_pcall(s->L, 1, 0);
  terminal_catch_interrupts(false);
  if (status != LUA_OK)
    eval_show_error(s);
  else
    tell_login_node(s);
  return status == LUA_OK;
}

// ---- Which GPUs run what ----

static const struct {
  uint32_t capability;
  const char *name, *gpus, *brings;
} families[] = {
#define FAMILY(capability, name, gpus, brings) {capability, name, gpus, brings},
#include "repl/command/gpus.def"
#undef FAMILY
};

// The oldest capability that a major version of NVRTC compiles for: 12 from
// Maxwell on, 13 from Turing on (their release notes).
static uint32_t oldest(int nvrtc_major) {
  return nvrtc_major >= 13 ? 75 : 50;
}

void device_families(struct shop *s, int nvrtc_major) {
  struct str out = STR_INIT;
  str_addf(&out, message("\nGPUs by compute capability (with NVRTC %d):\n"),
           nvrtc_major);
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    uint32_t n = families[i].capability;
    const char *runs = n < oldest(nvrtc_major)  ? MESSAGE("needs NVRTC 12")
                       : gpu_find_capability(n) ? MESSAGE("real and virtual")
                                                : MESSAGE("real");
    str_addf(&out, "  %2u.%u  %-10s %-24s %-17s %s\n", n / 10, n % 10,
             families[i].name, families[i].gpus, message(runs),
             message(families[i].brings));
  }
  shop_print(s, "%s", out.data);
  str_free(&out);
}

static int list_all(struct shop *s) {
  struct nvrtc *n;
  struct nvrtc_found found;
  struct err_info e = {0};
  enum err err = nvrtc_open(NULL, &n, &e);
  if (!err) {
    err = nvrtc_find(n, &found, &e);
    nvrtc_close(n);
  }
  if (err) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  device_families(s, found.major);
  return EXIT_PASSED;
}

int sub_device(struct shop *s, int argc, char **argv) {
  bool all = argc == 2 && !strcmp(argv[1], "--all");
  if (argc > 1 && !all) {
    shop_say("usage: warpshop device [--all]");
    return EXIT_USAGE;
  }
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  code = device_list(s) ? EXIT_PASSED : EXIT_MACHINE;
  return code == EXIT_PASSED && all ? list_all(s) : code;
}
