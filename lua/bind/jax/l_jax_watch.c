// SPDX-License-Identifier: Apache-2.0
// Watches the learner's own lines while a function is traced. Lua cannot be
// told that `if x then` asks about a traced value, and x == 3 is quietly false;
// so each instruction of the learner's (never of warpshop's own files) is looked
// at before it runs: tests, comparisons and loops of traced values are reported,
// and where a traced value is stored is noted for the day it leaks.
//
// Lua has no public way to the instruction (lua_code.h); a small function is run
// at the start to prove where it is kept (opcodes, program counter, constants),
// and without the proof nothing is watched.
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "lua/bind/code/lua_code.h"
#include "lua/bind/jax/l_jax.h"
#include "lua/bind/state/bind.h"

#define WATCH "warpshop.jax.watch"

enum { MAX_SEEN = 32, HOOK_STACK = 500 };

struct ljax_watch {
  bool is_proved;
  const void *tracer_meta; // by address
  const void *ipairs, *tonumber, *print;
  const void *outermost; // the call of the function that is traced
  const void *learner;   // who called into warpshop's files
  int seen_count;        // of the proof
  uintptr_t seen[MAX_SEEN];
  bool is_linked;
};

static struct ljax_watch *watch_of(lua_State *L) {
  return lcuda_of(L)->jax_watch;
}

static const void *previous(const lua_Debug *ar) {
  return lua_code_field(ar->i_ci, CALL_PREVIOUS);
}

// ---- The proof ----

// Jumps of tests are not seen as instructions of their own.
static const struct {
  uint8_t at, opcode;
} expected[] = {{0, OP_NOT},      {1, OP_EQK}, {4, OP_EQI},      {7, OP_EQ},
                {10, OP_TEST},    {12, 1},     {13, OP_TESTSET}, {15, 0},
                {16, 0},          {17, 0},     {18, 1},          {19, 1},
                {20, OP_FORPREP}, {21, 1},     {22, 73},         {23, 72}};
enum { EXPECTED = sizeof expected / sizeof *expected };

static const char proof[] = "return function(a)\n"
                            "  local b = not a\n"
                            "  if a == 1.5 then b = 2 end\n"
                            "  if a == 3 then b = 2 end\n"
                            "  if a == b then b = 4 end\n"
                            "  if a then b = 3 end\n"
                            "  local c = a and b\n"
                            "  c = b\n"
                            "  for _ = a, 1 do c = 2 end\n"
                            "  return c\n"
                            "end\n";

static void proof_hook(lua_State *L, lua_Debug *ar) {
  struct ljax_watch *w = watch_of(L);
  lua_Debug caller;
  if (w->seen_count == 0)
    w->is_linked = lua_getstack(L, 1, &caller) && previous(ar) == caller.i_ci;
  if (w->seen_count < MAX_SEEN)
    w->seen[w->seen_count++] =
        (uintptr_t)lua_code_field(ar->i_ci, CALL_SAVEDPC);
}

static bool has_expected_steps(const struct ljax_watch *w) {
  if (!w->is_linked || w->seen_count != EXPECTED)
    return false;
  for (int i = 0; i < EXPECTED; i++)
    if (w->seen[i] - w->seen[0] != expected[i].at * sizeof(uint32_t))
      return false;
  return true;
}

static bool has_expected_code(lua_State *L, const struct ljax_watch *w) {
  const void *p = lua_code_field(lua_topointer(L, -1), CLOSURE_PROTO);
  const uint32_t *code = lua_code_field(p, PROTO_CODE);
  if ((uintptr_t)(code + 1) != w->seen[0])
    return false;
  for (int i = 0; i < EXPECTED; i++)
    if ((code[expected[i].at] & 0x7f) != expected[i].opcode)
      return false;
  const char *k = lua_code_field(p, PROTO_CONSTANTS);
  double value;
  memcpy(&value, k, sizeof value);
  return value == 1.5 && (k[VALUE_TYPE] & 0x0f) == LUA_TNUMBER;
}

static void prove(lua_State *L, struct ljax_watch *w) {
  if (LUA_VERSION_NUM != 504 || sizeof(void *) != 8 ||
      lua_version(L) != LUA_VERSION_NUM || lua_gethook(L))
    return;
  if (luaL_loadbufferx(L, proof, sizeof proof - 1, "=[warpshop] proof", "t") ||
      lua_pcall(L, 0, 1, 0)) {
    lua_pop(L, 1);
    return;
  }
  lua_pushvalue(L, -1);
  lua_pushinteger(L, 1);
  lua_sethook(L, proof_hook, LUA_MASKCOUNT, 1);
  int status = lua_pcall(L, 1, 0, 0);
  lua_sethook(L, NULL, 0, 0);
  if (status)
    lua_pop(L, 1);
  w->is_proved = !status && has_expected_steps(w) && has_expected_code(L, w);
  lua_pop(L, 1);
}

// ---- One instruction ----

static bool is_own(const lua_Debug *ar) {
  return !strncmp(ar->source, "=[warpshop]", 11);
}

// Pushes register r of the running function; false where there is none.
static bool push_register(lua_State *L, lua_Debug *ar, int r) {
  return lua_getlocal(L, ar, r + 1) != NULL;
}

// Pushes register r if it holds a traced value; nothing otherwise.
static bool push_tracer(lua_State *L, lua_Debug *ar, int r) {
  if (!push_register(L, ar, r))
    return false;
  if (lua_type(L, -1) == LUA_TTABLE && lua_getmetatable(L, -1)) {
    bool is_tracer = lua_topointer(L, -1) == watch_of(L)->tracer_meta;
    lua_pop(L, 1);
    if (is_tracer)
      return true;
  }
  lua_pop(L, 1);
  return false;
}

// Calls the watcher's function `name`, if there is one, with what is above it.
static void report(lua_State *L, const char *name, int count) {
  lua_getfield(L, LUA_REGISTRYINDEX, WATCH);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  lua_insert(L, -1 - count);
  lua_call(L, count, 0);
}

static bool is_parameter(lua_State *L, lua_Debug *ar, int r) {
  lua_getinfo(L, "u", ar);
  return r < ar->nparams;
}

// if, while, and, or, not: whose register is `r`
static void see_test(lua_State *L, lua_Debug *ar, int r) {
  if (!push_tracer(L, ar, r))
    return;
  lua_pushboolean(L, is_parameter(L, ar, r));
  report(L, "test", 2);
}

static void see_equal(lua_State *L, lua_Debug *ar, int a, int b) {
  bool is_first = push_tracer(L, ar, a);
  if (!is_first && !push_tracer(L, ar, b))
    return;
  if (!push_register(L, ar, is_first ? b : a))
    lua_pushnil(L);
  report(L, "equal", 2);
}

// Compared with a constant: its type is enough.
static void see_equal_constant(lua_State *L, lua_Debug *ar, int a, int k) {
  if (!push_tracer(L, ar, a))
    return;
  int type = LUA_TNUMBER;
  if (k >= 0) {
    lua_getinfo(L, "f", ar);
    const void *p = lua_code_field(lua_topointer(L, -1), CLOSURE_PROTO);
    lua_pop(L, 1);
    const char *constants = lua_code_field(p, PROTO_CONSTANTS);
    type = constants[k * VALUE_BYTES + VALUE_TYPE] & 0x0f;
  }
  if (type == LUA_TNUMBER)
    lua_pushinteger(L, 0);
  else if (type == LUA_TBOOLEAN)
    lua_pushboolean(L, true);
  else
    lua_pushnil(L);
  report(L, "equal", 2);
}

static void see_loop(lua_State *L, lua_Debug *ar, int r) {
  for (int i = 0; i < 3; i++)
    if (push_tracer(L, ar, r + i))
      report(L, "loop", 1);
}

// print while a function is traced shows types, and once only.
static void see_print(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "Sl", ar);
  lua_pushfstring(L, "%s:%d", ar->short_src, ar->currentline);
  report(L, "print", 1);
}

static void see_call(lua_State *L, lua_Debug *ar, int r) {
  if (!push_register(L, ar, r))
    return;
  const struct ljax_watch *w = watch_of(L);
  const void *f = lua_topointer(L, -1);
  lua_pop(L, 1);
  if (f && f == w->print)
    see_print(L, ar);
  if (!f || (f != w->ipairs && f != w->tonumber))
    return;
  if (push_tracer(L, ar, r + 1))
    report(L, f == w->ipairs ? "iterate" : "convert", 1);
}

// A plain table indexed by a traced value.
static void see_index(lua_State *L, lua_Debug *ar, int table, int key) {
  if (!push_tracer(L, ar, key))
    return;
  bool is_plain = push_register(L, ar, table) && lua_istable(L, -1) &&
                  !lua_getmetatable(L, -1);
  if (is_plain) {
    lua_pop(L, 1);
    report(L, "index", 1);
  }
}

// A traced value that is stored: in a table, a global, an outer variable.
static void see_store(lua_State *L, lua_Debug *ar, int r, const char *kind,
                      const char *name) {
  if (!push_tracer(L, ar, r))
    return;
  lua_getinfo(L, "Sl", ar);
  lua_pushstring(L, kind);
  lua_pushstring(L, name);
  lua_pushfstring(L, "%s:%d", ar->short_src, ar->currentline);
  report(L, "store", 4);
}

// A variable outside the traced function is written.
static void see_outer(lua_State *L, lua_Debug *ar, const char *name) {
  if (ar->i_ci != watch_of(L)->outermost)
    return;
  lua_getinfo(L, "Sl", ar);
  lua_pushstring(L, name);
  lua_pushfstring(L, "%s:%d", ar->short_src, ar->currentline);
  report(L, "write", 2);
}

static void see_upvalue(lua_State *L, lua_Debug *ar, int r, int n) {
  lua_getinfo(L, "f", ar);
  int function = lua_gettop(L);
  const char *name = lua_getupvalue(L, function, n + 1);
  if (name)
    lua_pop(L, 1);
  see_store(L, ar, r, "variable", name);
  see_outer(L, ar, name);
  lua_settop(L, function - 1);
}

// A global is a field of the variable _ENV.
static void see_field_of_upvalue(lua_State *L, lua_Debug *ar, int n, int r) {
  lua_getinfo(L, "f", ar);
  const char *name = lua_getupvalue(L, -1, n + 1);
  bool is_global = name && !strcmp(name, "_ENV");
  if (r >= 0)
    see_store(L, ar, r, is_global ? "global" : "table", NULL);
  if (is_global)
    see_outer(L, ar, NULL);
}

static void see_instruction(lua_State *L, lua_Debug *ar) {
  int top = lua_gettop(L);
  const uint32_t *pc = lua_code_field(ar->i_ci, CALL_SAVEDPC);
  uint32_t i = pc[-1];
  int a = i >> 7 & 0xff, b = i >> 16 & 0xff, c = i >> 24;
  bool is_constant = i >> 15 & 1;
  switch (i & 0x7f) {
  case OP_TEST: see_test(L, ar, a); break;
  case OP_TESTSET:
  case OP_NOT: see_test(L, ar, b); break;
  case OP_EQ: see_equal(L, ar, a, b); break;
  case OP_EQK: see_equal_constant(L, ar, a, b); break;
  case OP_EQI: see_equal_constant(L, ar, a, -1); break;
  case OP_GETTABLE: see_index(L, ar, b, c); break;
  case OP_FORPREP: see_loop(L, ar, a); break;
  case OP_CALL:
  case OP_TAILCALL:
    if (b != 1)
      see_call(L, ar, a);
    break;
  case OP_SETUPVAL: see_upvalue(L, ar, a, b); break;
  case OP_SETTABUP: see_field_of_upvalue(L, ar, a, is_constant ? -1 : c); break;
  case OP_SETTABLE:
  case OP_SETI:
  case OP_SETFIELD:
    if (!is_constant)
      see_store(L, ar, c, "table", NULL);
    break;
  default: break;
  }
  lua_settop(L, top);
}

// ---- Whose line it is ----

static void own_hook(lua_State *L, lua_Debug *ar);

// In the learner's functions: each instruction, until one of ours is called.
static void learner_hook(lua_State *L, lua_Debug *ar) {
  struct ljax_watch *w = watch_of(L);
  if (ar->event == LUA_HOOKCOUNT) {
    see_instruction(L, ar);
    return;
  }
  lua_getinfo(L, "S", ar);
  if (*ar->what == 'C')
    return;
  if (!is_own(ar)) {
    if (!w->outermost)
      w->outermost = ar->i_ci;
  } else if (lua_gethook(L) == learner_hook) { // not Ctrl-C's
    w->learner = previous(ar);
    lua_sethook(L, own_hook, LUA_MASKRET, 0);
  }
}

// In ours: only the return to the learner.
static void own_hook(lua_State *L, lua_Debug *ar) {
  if (previous(ar) == watch_of(L)->learner && lua_gethook(L) == own_hook)
    lua_sethook(L, learner_hook, LUA_MASKCALL | LUA_MASKCOUNT, 1);
}

static bool is_ours(lua_Hook hook) {
  return hook == learner_hook || hook == own_hook;
}

// watched(f, ...): f's results, its lines watched.
static int l_watched(lua_State *L) {
  struct ljax_watch *w = watch_of(L);
  lua_Hook outer = lua_gethook(L);
  int given = lua_gettop(L) - 1;
  // Another's hook (Ctrl-C, a limit of instructions) stays.
  if (!w->is_proved || (outer && !is_ours(outer))) {
    lua_call(L, given, LUA_MULTRET);
    return lua_gettop(L);
  }
  // A hook that makes Lua 5.4.4 move its stack while a metamethod of `..` runs
  // loses the result: there is room before.
  luaL_checkstack(L, HOOK_STACK, NULL);
  const void *learner = w->learner, *outermost = w->outermost;
  w->outermost = NULL;
  lua_sethook(L, learner_hook, LUA_MASKCALL | LUA_MASKCOUNT, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, WATCH);
  lua_getfield(L, -1, "explain");
  lua_replace(L, -2);
  lua_insert(L, 1);
  int status = lua_pcall(L, given, LUA_MULTRET, 1);
  lua_remove(L, 1);
  w->learner = learner;
  w->outermost = outermost;
  if (is_ours(lua_gethook(L))) {
    if (outer)
      lua_sethook(L, own_hook, LUA_MASKRET, 0);
    else
      lua_sethook(L, NULL, 0, 0);
  }
  return status ? lua_error(L) : lua_gettop(L);
}

// watch(metatable of traced values, {test, equal, loop, iterate, convert, index,
// store, write, print, explain}). `explain` is what becomes of errors.
static int l_watch(lua_State *L) {
  struct ljax_watch *w = watch_of(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  w->tracer_meta = lua_topointer(L, 1);
  lua_getglobal(L, "ipairs");
  w->ipairs = lua_topointer(L, -1);
  lua_getglobal(L, "tonumber");
  w->tonumber = lua_topointer(L, -1);
  lua_getglobal(L, "print");
  w->print = lua_topointer(L, -1);
  lua_settop(L, 2);
  lua_setfield(L, LUA_REGISTRYINDEX, WATCH);
  prove(L, w);
  return 0;
}

// parameter(f, n): the name of a Lua function's n-th parameter, or nil.
static int l_parameter(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  lua_pushstring(L, lua_getlocal(L, NULL, (int)luaL_checkinteger(L, 2)));
  return 1;
}

// parameter_count(f): nil where it takes any number.
static int l_parameter_count(lua_State *L) {
  lua_Debug ar;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_getinfo(L, ">u", &ar);
  if (ar.isvararg)
    return 0;
  lua_pushinteger(L, ar.nparams);
  return 1;
}

// defined(f): "file:line" where a Lua function begins.
static int l_defined(lua_State *L) {
  lua_Debug ar;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_getinfo(L, ">S", &ar);
  lua_pushfstring(L, "%s:%d", ar.short_src, ar.linedefined);
  return 1;
}

// line(where): the text of that line, or nil.
static int l_line(lua_State *L) {
  bind_push_line(L, luaL_checkstring(L, 1));
  return 1;
}

// say(text): a note for the user.
static int l_say(lua_State *L) {
  log_say(LOG_OF_PROGRAM | LOG_NOTE, "%s", luaL_checkstring(L, 1));
  return 0;
}

// where(): "file:line" of the learner's that runs, or nil.
static int l_where(lua_State *L) {
  lua_Debug ar;
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (*ar.what != 'C' && !is_own(&ar)) {
      lua_getinfo(L, "l", &ar);
      lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
      return 1;
    }
  }
  return 0;
}

static bool is_variable(const lua_Debug *ar) {
  static const char *const kinds[] = {"local", "global", "upvalue", "field"};
  for (int i = 0; ar->name && i < 4; i++)
    if (!strcmp(ar->namewhat, kinds[i]))
      return true;
  return false;
}

// called_as(x): the name by which the learner's line calls x, which runs now,
// or nil. A C function is the way into x, and hands it on as the first argument
// of the one below it.
static int l_called_as(lua_State *L) {
  lua_Debug ar, caller;
  bool had_it = false;
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sn", &ar);
    if (*ar.what == 'C' && had_it) {
      if (!is_variable(&ar) || !lua_getstack(L, level + 1, &caller))
        return 0;
      lua_getinfo(L, "S", &caller);
      if (is_own(&caller))
        return 0;
      lua_pushstring(L, ar.name);
      return 1;
    }
    had_it = is_own(&ar) && lua_getlocal(L, &ar, 1) && lua_rawequal(L, 1, -1);
    lua_settop(L, 1);
  }
  return 0;
}

void ljax_open_watch(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"watch", l_watch},
      {"watched", l_watched},
      {"parameter", l_parameter},
      {"parameter_count", l_parameter_count},
      {"where", l_where},
      {"defined", l_defined},
      {"say", l_say},
      {"line", l_line},
      {"called_as", l_called_as},
      {NULL, NULL},
  };
  struct ljax_watch *w = lua_newuserdatauv(L, sizeof *w, 0);
  *w = (struct ljax_watch){0};
  lua_setfield(L, LUA_REGISTRYINDEX, WATCH ".state");
  lcuda_of(L)->jax_watch = w;
  luaL_setfuncs(L, functions, 0);
}
