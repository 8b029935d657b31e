// SPDX-License-Identifier: Apache-2.0
// `warpshop explain [CODE]`: the pages of lua/codes.lua, which ?CODE shows
// at the prompt.
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "repl/command/command.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

bool help_push_pages(lua_State *L) {
  char *path = file_own("lua/codes.lua");
  bool fine = path && luaL_loadfilex(L, path, "t") == LUA_OK &&
              lua_pcall(L, 0, 1, 0) == LUA_OK && lua_istable(L, -1);
  if (!fine)
    shop_say("the pages cannot be read: %s", path ? path : "lua/codes.lua");
  free(path);
  return fine;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Each code with the first line of its page.
static void list_pages(struct shop *s) {
  lua_State *L = s->L;
  struct str out = STR_INIT;
  char *names[256];
  int n = 0;
  lua_pushnil(L);
  while (lua_next(L, -2) && n < 256) {
    const char *page = lua_tostring(L, -1);
    names[n++] = xasprintf("  %-22s %.*s", lua_tostring(L, -2),
                           (int)strcspn(page, "\n"), page);
    lua_pop(L, 1);
  }
  qsort(names, (size_t)n, sizeof *names, compare_names);
  for (int i = 0; i < n; i++) {
    str_addf(&out, "%s\n", names[i]);
    free(names[i]);
  }
  shop_print(s, "%s", out.data);
  str_free(&out);
}

static int no_page(lua_State *L, const char *code) {
  struct nearest near = nearest_to(code);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    nearest_try(&near, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
  }
  if (near.name)
    shop_say("there is no code %s; did you mean %s?", code, near.name);
  else
    shop_say("there is no code %s: warpshop explain lists them", code);
  return EXIT_USAGE;
}

int sub_explain(struct shop *s, int argc, char **argv) {
  int code = EXIT_PASSED;
  if (argc > 2) {
    shop_say("usage: warpshop explain [CODE]");
    return EXIT_USAGE;
  }
  s->L = luaL_newstate();
  if (!s->L || !help_push_pages(s->L))
    return EXIT_MACHINE;
  if (argc < 2)
    list_pages(s);
  else if (lua_getfield(s->L, -1, argv[1]) == LUA_TSTRING)
    shop_print(s, "%s", lua_tostring(s->L, -1));
  else {
    lua_pop(s->L, 1);
    code = no_page(s->L, argv[1]);
  }
  lua_close(s->L);
  s->L = NULL;
  return code;
}
