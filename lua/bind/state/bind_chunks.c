// SPDX-License-Identifier: Apache-2.0
// The program's own Lua as functions: read from its files, or compiled before by
// another process of ours. To compile np and jax takes ten times as long as to load
// them compiled, and who starts a process for each run does it again and again.
#include "lua/bind/state/bind.h"

#include <fts.h>
#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"

enum { FILE_BYTES = 1 << 20 };
#define CHUNK_NAME "=[warpshop] %s"

// Then the name without an end, and the code.
struct head {
  uint32_t name_bytes, code_bytes;
};

// ---- Written ----

static int add_code(lua_State *L, const void *code, size_t bytes, void *out) {
  (void)L;
  str_add_bytes(out, code, bytes);
  return 0;
}

// Names and lines stay in it, for messages.
static bool compile(lua_State *L, const char *name, const char *path,
                    struct str *code) {
  struct err_info e;
  size_t bytes;
  char *text;
  if (file_read(path, FILE_BYTES, &text, &bytes, &e))
    return false;
  const char *called = lua_pushfstring(L, CHUNK_NAME, name);
  bool is_fine = luaL_loadbufferx(L, text, bytes, called, "t") == LUA_OK &&
                 !lua_dump(L, add_code, code, 0);
  lua_settop(L, 0);
  free(text);
  return is_fine;
}

static void add_chunk(lua_State *L, const char *name, const char *path,
                      struct str *out) {
  struct str code = STR_INIT;
  if (compile(L, name, path, &code)) {
    struct head head = {(uint32_t)strlen(name), (uint32_t)code.len};
    str_add_bytes(out, &head, sizeof head);
    str_add(out, name);
    str_add_bytes(out, code.data, code.len);
  }
  str_free(&code);
}

void bind_write_chunks(const char *folder, struct str *out) {
  char *path = file_own(folder);
  char *roots[] = {path, NULL};
  lua_State *L = luaL_newstate();
  FTS *walk =
      path && L ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
  struct str name = STR_INIT;
  if (L)
    lua_gc(L, LUA_GCSTOP); // it is closed soon
  for (FTSENT *f; walk && (f = fts_read(walk));) {
    if (f->fts_info != FTS_F || !str_ends(f->fts_path, ".lua"))
      continue;
    str_clear(&name);
    str_addf(&name, "%s%s", folder, f->fts_path + strlen(path));
    add_chunk(L, name.data, f->fts_path, out);
  }
  if (walk)
    fts_close(walk);
  if (L)
    lua_close(L);
  str_free(&name);
  free(path);
}

// ---- Loaded ----

// The code of that name, or NULL.
static const char *find(const struct bind_options *o, const char *name,
                        size_t *bytes) {
  const char *at = o->chunks;
  size_t left = at ? o->chunks_bytes : 0, n = strlen(name);
  struct head head;
  while (left >= sizeof head) {
    memcpy(&head, at, sizeof head);
    size_t whole = sizeof head + (size_t)head.name_bytes + head.code_bytes;
    if (whole > left)
      break;
    *bytes = head.code_bytes;
    at += sizeof head;
    if (head.name_bytes == n && !memcmp(at, name, n))
      return at + n;
    at += whole - sizeof head;
    left -= whole;
  }
  return NULL;
}

// Lua itself refuses the code of another version; the file is there for all that.
static bool load_compiled(lua_State *L, const char *name) {
  size_t bytes;
  const char *code = find(&bind_state_of(L)->options, name, &bytes);
  if (!code)
    return false;
  if (luaL_loadbufferx(L, code, bytes, name, "b") == LUA_OK)
    return true;
  lua_pop(L, 1);
  return false;
}

void bind_push_chunk(lua_State *L, const char *name) {
  if (load_compiled(L, name))
    return;
  size_t bytes;
  bind_push_text(L, name);
  const char *text = lua_tolstring(L, -1, &bytes);
  lua_pushfstring(L, CHUNK_NAME, name);
  if (luaL_loadbufferx(L, text, bytes, lua_tostring(L, -1), "t"))
    lua_error(L);
  lua_replace(L, -3); // [function, name]
  lua_pop(L, 1);
}
