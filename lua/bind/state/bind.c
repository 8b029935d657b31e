// SPDX-License-Identifier: Apache-2.0
// Opening and closing a Lua state with warpshop's tables, Ctrl-C, and what a
// sandboxed state (a learner's submission) is not given.
#include "lua/bind/state/bind.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

// ---- Memory ----

// Lua's own memory, counted so that a sandboxed state can be capped (a
// string.rep of 10 GB is then "not enough memory", not a dead machine). A
// launch makes a small table, and a loop of launches many: sizes up to
// SMALL_BYTES come from lists of free cells, which is several times faster than
// malloc where a collector frees in batches. Cells go back when the state
// closes. Under ASan all goes to malloc, so that a stray access is seen.
enum { CELL_BYTES = 16, SMALL_BYTES = 256, SLAB_BYTES = 32 << 10 };

struct pool {
  struct bind_state state;
  size_t used, cap;
  void *cells[SMALL_BYTES / CELL_BYTES + 1]; // free ones, by size
  void *slabs;                               // each begins with the next
  char *next, *end;                          // unused part of the newest
};

#ifdef __SANITIZE_ADDRESS__
#  define IS_SMALL(bytes) false
#else
#  define IS_SMALL(bytes) ((bytes) <= SMALL_BYTES)
#endif

static void *take_cell(struct pool *pool, size_t bytes) {
  size_t size = (bytes + CELL_BYTES - 1) / CELL_BYTES;
  void *cell = pool->cells[size];
  if (cell) {
    pool->cells[size] = *(void **)cell;
    return cell;
  }
  size *= CELL_BYTES;
  if ((size_t)(pool->end - pool->next) < size) {
    void **slab = malloc(SLAB_BYTES);
    if (!slab)
      return NULL;
    *slab = pool->slabs;
    pool->slabs = slab;
    pool->next = (char *)slab + CELL_BYTES;
    pool->end = (char *)slab + SLAB_BYTES;
  }
  cell = pool->next;
  pool->next += size;
  return cell;
}

static void give_back(struct pool *pool, void *p, size_t bytes) {
  if (!IS_SMALL(bytes)) {
    free(p);
    return;
  }
  void **list = &pool->cells[(bytes + CELL_BYTES - 1) / CELL_BYTES];
  *(void **)p = *list;
  *list = p;
}

static void *resize(struct pool *pool, void *p, size_t had, size_t bytes) {
  if (p && !IS_SMALL(had) && !IS_SMALL(bytes))
    return realloc(p, bytes);
  if (p && IS_SMALL(had) && IS_SMALL(bytes) &&
      (had + CELL_BYTES - 1) / CELL_BYTES ==
          (bytes + CELL_BYTES - 1) / CELL_BYTES)
    return p;
  void *q = IS_SMALL(bytes) ? take_cell(pool, bytes) : malloc(bytes);
  if (q && p) {
    memcpy(q, p, had < bytes ? had : bytes);
    give_back(pool, p, had);
  }
  return q;
}

static void *pool_alloc(void *ud, void *p, size_t old, size_t bytes) {
  struct pool *pool = ud;
  size_t had = p ? old : 0; // Lua passes a kind of object with a new block
  if (bytes == 0) {
    if (p)
      give_back(pool, p, had);
    pool->used -= had;
    return NULL;
  }
  const struct bind_options *o = &pool->state.options;
  if (o->may_take && bytes > had &&
      !o->may_take(o->meter, bytes - had, !p && old == LUA_TSTRING))
    return NULL;
  if (pool->cap && bytes > had && pool->used - had + bytes > pool->cap)
    return NULL;
  void *q = resize(pool, p, had, bytes);
  if (q)
    pool->used += bytes - had;
  return q;
}

static void pool_free(struct pool *pool) {
  for (void *slab = pool->slabs, *after; slab; slab = after) {
    after = *(void **)slab;
    free(slab);
  }
  free(pool);
}

// ---- Ctrl-C ----

// Signal flags: the states that a Ctrl-C must reach, and what stops them, or
// NULL.
enum { MAX_STATES = 64 };
static _Atomic(lua_State *) states[MAX_STATES];
static _Atomic(const char *) stopped_by;

static void state_register(lua_State *L) {
  for (int i = 0; i < MAX_STATES; i++) {
    lua_State *none = NULL;
    if (atomic_compare_exchange_strong(&states[i], &none, L))
      return;
  }
}

static void state_forget(lua_State *L) {
  for (int i = 0; i < MAX_STATES; i++) {
    lua_State *one = L;
    if (atomic_compare_exchange_strong(&states[i], &one, NULL))
      return;
  }
}

static void stop_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  const char *by = atomic_load(&stopped_by);
  if (!by) {
    // Another state noticed first; a coroutine keeps its own count hook.
    if (lua_pushthread(L))
      lua_sethook(L, NULL, 0, 0);
    lua_pop(L, 1);
    return;
  }
  bind_clear_interrupt();
  bind_error(L, ERR_CANCELLED, "stopped by %s", by);
}

void bind_interrupt(const char *by) {
  atomic_store(&stopped_by, by);
  for (int i = 0; i < MAX_STATES; i++) {
    lua_State *L = atomic_load(&states[i]);
    if (L)
      lua_sethook(L, stop_hook,
                  LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
  }
}

bool bind_is_interrupted(void) {
  return atomic_load(&stopped_by) != NULL;
}

void bind_clear_interrupt(void) {
  atomic_store(&stopped_by, NULL);
  for (int i = 0; i < MAX_STATES; i++) {
    lua_State *L = atomic_load(&states[i]);
    if (L)
      lua_sethook(L, NULL, 0, 0);
  }
}

// A coroutine has a hook of its own that bind_interrupt cannot reach, so it
// looks at the flag every so many instructions. Where work is charged it keeps
// the hook that it has from its maker, and pays at once for the instructions
// that it may run before that one looks.
static void watch_coroutine(lua_State *L, int at) {
  enum { UNSEEN = 1000 };
  const struct bind_options *o = &bind_state_of(L)->options;
  lua_State *co = lua_tothread(L, at);
  if (co && o->charge)
    o->charge(o->meter, UNSEEN);
  else if (co)
    lua_sethook(co, stop_hook, LUA_MASKCOUNT, 10000);
}

static int coroutine_create(lua_State *L) {
  int given = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, given, 1); // [thread]
  watch_coroutine(L, -1);
  return 1;
}

static int coroutine_wrap(lua_State *L) {
  int given = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, given, 1); // [function whose first upvalue is the thread]
  if (lua_getupvalue(L, -1, 1)) {
    watch_coroutine(L, -1);
    lua_pop(L, 1);
  }
  return 1;
}

static void wrap_function(lua_State *L, const char *name, lua_CFunction f) {
  lua_getfield(L, -1, name); // [coroutine, original]
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

static void watch_coroutines(lua_State *L) {
  lua_getglobal(L, "coroutine");
  wrap_function(L, "create", coroutine_create);
  wrap_function(L, "wrap", coroutine_wrap);
  lua_pop(L, 1);
}

// ---- print ----

void bind_print(lua_State *L, const char *text, size_t bytes) {
  const struct bind_options *o = &bind_state_of(L)->options;
  if (o->print)
    o->print(o->context, text, bytes);
  else
    fwrite(text, 1, bytes, stdout);
}

enum { PRINT_COLUMNS = 80 };

// A table that would be an address, such as a shape.
static bool is_plain_table(lua_State *L, int i) {
  if (!lua_istable(L, i) || luaL_getmetafield(L, i, "__tostring"))
    return false;
  return !luaL_getmetafield(L, i, "__name");
}

static int print_texts(lua_State *L) {
  struct str *out = lua_touserdata(L, 1);
  int n = lua_gettop(L);
  for (int i = 2; i <= n; i++) {
    size_t bytes;
    if (i > 2)
      str_add_char(out, '\t');
    if (is_plain_table(L, i)) {
      show_value(L, i, PRINT_COLUMNS, out);
    } else {
      const char *text = luaL_tolstring(L, i, &bytes);
      str_add_bytes(out, text, bytes);
    }
    lua_settop(L, n);
  }
  str_add_char(out, '\n');
  return 0;
}

// As Lua's print, but to the state's own place, and tables are opened.
static int print(lua_State *L) {
  struct str out = STR_INIT;
  lua_pushcfunction(L, print_texts);
  lua_insert(L, 1);
  lua_pushlightuserdata(L, &out);
  lua_insert(L, 2);
  int status = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
  if (status == LUA_OK)
    bind_print(L, out.data, out.len);
  str_free(&out);
  return status == LUA_OK ? 0 : lua_error(L);
}

// ---- The sandbox ----

// load() of text only: bytecode can break the interpreter.
static int load_text(lua_State *L) {
  luaL_checkstring(L, 1);
  const char *name = luaL_optstring(L, 2, "=(load)");
  size_t bytes;
  const char *text = lua_tolstring(L, 1, &bytes);
  bool has_env = !lua_isnone(L, 4);
  if (luaL_loadbufferx(L, text, bytes, name, "t") != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_env) {
    lua_pushvalue(L, 4);
    lua_setupvalue(L, -2, 1);
  }
  return 1;
}

static void remove_globals(lua_State *L, const char *const *names) {
  for (; *names; names++) {
    lua_pushnil(L);
    lua_setglobal(L, *names);
  }
}

static void open_sandboxed(lua_State *L) {
  static const luaL_Reg libs[] = {
      {LUA_GNAME, luaopen_base},
      {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_TABLIBNAME, luaopen_table},
      {LUA_STRLIBNAME, luaopen_string},
      {LUA_MATHLIBNAME, luaopen_math},
      {LUA_UTF8LIBNAME, luaopen_utf8},
      {NULL, NULL},
  };
  static const char *const unsafe[] = {"dofile", "loadfile", "collectgarbage",
                                       "warn", NULL};
  for (const luaL_Reg *lib = libs; lib->func; lib++) {
    luaL_requiref(L, lib->name, lib->func, 1);
    lua_pop(L, 1);
  }
  remove_globals(L, unsafe);
  lua_pushcfunction(L, load_text);
  lua_setglobal(L, "load");
  lua_getglobal(L, "string");
  lua_pushnil(L);
  lua_setfield(L, -2, "dump");
  lua_pop(L, 1);
}

// ---- Opening ----

struct opening {
  const struct bind_options *options;
  void (*libraries)(lua_State *L, const struct bind_options *options);
};

static int open_all(lua_State *L) {
  const struct opening *opening = lua_touserdata(L, 1);
  const struct bind_options *options = opening->options;
  if (options->sandboxed)
    open_sandboxed(L);
  else
    luaL_openlibs(L);
  watch_coroutines(L);
  lua_pushcfunction(L, print);
  lua_setglobal(L, "print");
  opening->libraries(L, options);
  return 0;
}

static enum err error_of(lua_State *L, struct err_info *e) {
  const char *text = luaL_tolstring(L, -1, NULL);
  enum err code = err_set(e, ERR_INTERNAL, "cannot open Lua: %s", text);
  lua_pop(L, 2);
  return code;
}

// A step of less than nothing puts the first look off, as the end of a cycle does.
void bind_collect_later(lua_State *L) {
  lua_gc(L, LUA_GCRESTART);
  lua_gc(L, LUA_GCSTEP, -lua_gc(L, LUA_GCCOUNT));
}

lua_State *bind_new_with(const struct bind_options *options,
                         void (*libraries)(lua_State *L,
                                           const struct bind_options *options),
                         struct err_info *e) {
  struct opening opening = {options, libraries};
  struct pool *pool = xcalloc(1, sizeof *pool);
  lua_State *L = lua_newstate(pool_alloc, pool);
  if (!L) {
    pool_free(pool);
    err_set(e, ERR_NOMEM, "no memory for a Lua state");
    return NULL;
  }
  pool->state.options = *options;
  *(struct bind_state **)lua_getextraspace(L) = &pool->state;
  lua_gc(L, LUA_GCSTOP); // nearly all of it stays
  lua_pushcfunction(L, open_all);
  lua_pushlightuserdata(L, &opening);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    error_of(L, e);
    bind_close(L);
    return NULL;
  }
  bind_collect_later(L);
  // The cap is for the learner: what warpshop itself put there is not counted.
  if (options->memory_cap_bytes)
    pool->cap = pool->used + options->memory_cap_bytes;
  state_register(L);
  return L;
}

void bind_close(lua_State *L) {
  if (!L)
    return;
  struct pool *pool = (struct pool *)bind_state_of(L); // begins with it
  pool->cap = 0;
  state_forget(L);
  lua_close(L);
  if (pool->state.np)
    pool->state.free_np(pool->state.np);
  pool_free(pool);
}

// ---- The program's own files ----

void bind_push_text(lua_State *L, const char *name) {
  struct err_info e = {0};
  char *path = file_own(name), *text;
  if (!path)
    bind_error(L, ERR_IO,
               "%s is missing beside the program: reinstall warpshop, or set "
               "WARPSHOP_HOME",
               name);
  size_t bytes;
  enum err err = file_read(path, 1 << 20, &text, &bytes, &e);
  free(path);
  if (err)
    bind_error_info(L, &e);
  lua_pushlstring(L, text, bytes);
  free(text);
}
