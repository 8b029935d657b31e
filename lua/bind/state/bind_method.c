// SPDX-License-Identifier: Apache-2.0
// x.sum(0) instead of x:sum(0): to Lua that is np.sum(0), a fine call with a
// wrong answer. A method that is fetched with a dot and called at once is
// handed out in a wrapper that wants the array back as its first argument. How
// it was fetched is read from the caller's instructions (lua_code.h); without
// the proof of their layout methods go out as they are.
#include <stdbool.h>
#include <stdint.h>

#include "lua/bind/code/lua_code.h"
#include "lua/bind/state/bind.h"

static const char PROVED = 0; // its address is the key

static int opcode(uint32_t instruction) {
  return instruction & 0x7f;
}
static int target(uint32_t instruction) {
  return instruction >> 7 & 0xff;
}

// Is what the instruction before `pc` fetched called before `end`? While the
// arguments are computed nothing else goes to its register.
static bool is_called(const uint32_t *pc, const uint32_t *end) {
  int r = target(pc[-1]);
  for (; pc < end; pc++) {
    int op = opcode(*pc);
    if (op != OP_JMP && op != OP_EXTRAARG && target(*pc) == r)
      return op == OP_CALL || op == OP_TAILCALL;
  }
  return false;
}

static bool is_fetch(uint32_t instruction) {
  int op = opcode(instruction);
  return op == OP_GETFIELD || op == OP_GETTABUP; // of an upvalue
}

// Does the function at `level` run "x.name(...)", its fetch of the name?
static bool is_dotted(lua_State *L, int level) {
  lua_Debug ar;
  if (!lua_getstack(L, level, &ar) || !lua_getinfo(L, "f", &ar))
    return false;
  const void *closure = lua_iscfunction(L, -1) ? NULL : lua_topointer(L, -1);
  lua_pop(L, 1);
  if (!closure)
    return false;
  const void *proto = lua_code_field(closure, CLOSURE_PROTO);
  const uint32_t *code = lua_code_field(proto, PROTO_CODE);
  const uint32_t *pc = lua_code_field(ar.i_ci, CALL_SAVEDPC);
  int size;
  memcpy(&size, (const char *)proto + PROTO_CODE_SIZE, sizeof size);
  return pc > code && pc < code + size && is_fetch(pc[-1]) &&
         is_called(pc, code + size);
}

// ---- The proof ----

static const char proof[] = "local t, kept, y = ...\n"
                            "kept = t.no\n"
                            "t:no(1)\n"
                            "t.yes(1)\n"
                            "t.yes(y and t.no or {t.no, t:no()}, kept)\n"
                            "local f = function() return t.yes(t.no) end\n"
                            "f()\n"
                            "y = t.no + 1, kept(1)\n"
                            "return t.yes()\n";

static int proof_value(lua_State *L) {
  lua_pushinteger(L, 1);
  return 1;
}

// Upvalue: {right, wrong}, how often the name said what was seen.
static int proof_index(lua_State *L) {
  bool is_right = is_dotted(L, 1) == (lua_tostring(L, 2)[0] == 'y');
  lua_Integer which = is_right ? 1 : 2;
  lua_rawgeti(L, lua_upvalueindex(1), which);
  lua_pushinteger(L, lua_tointeger(L, -1) + 1);
  lua_rawseti(L, lua_upvalueindex(1), which);
  lua_createtable(L, 0, 0); // can be called and added to
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, proof_value);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, proof_value);
  lua_setfield(L, -2, "__add");
  lua_setmetatable(L, -2);
  return 1;
}

static bool prove(lua_State *L) {
  enum { LOOKS = 10 };
  int top = lua_gettop(L);
  if (LUA_VERSION_NUM != 504 || sizeof(void *) != 8 ||
      lua_version(L) != LUA_VERSION_NUM ||
      luaL_loadbufferx(L, proof, sizeof proof - 1, "=[warpshop] proof", "t"))
    return lua_settop(L, top), false;
  lua_createtable(L, 2, 0); // [chunk, counts]
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, proof_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2); // [chunk, counts, t]
  lua_pushvalue(L, -3);
  lua_insert(L, -2); // [chunk, counts, chunk, t]
  bool is_proved = !lua_pcall(L, 1, 0, 0) && lua_gettop(L) == top + 2 &&
                   lua_rawgeti(L, top + 2, 2) == LUA_TNIL &&
                   lua_rawgeti(L, top + 2, 1) == LUA_TNUMBER &&
                   lua_tointeger(L, -1) == LOOKS;
  lua_settop(L, top);
  return is_proved;
}

static bool is_proved(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &PROVED) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushboolean(L, prove(L));
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &PROVED);
  }
  bool yes = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return yes;
}

bool bind_calls_at_once(lua_State *L, int level) {
  return is_proved(L) && is_dotted(L, level);
}

// ---- Methods ----

// Upvalues: the method, the array, the name.
static int call_method(lua_State *L) {
  if (!lua_rawequal(L, 1, lua_upvalueindex(2))) {
    const char *name = lua_tostring(L, lua_upvalueindex(3));
    bind_error(L, ERR_ARGUMENT,
               "%s is a method: call it with a colon, x:%s(%s); with a dot it "
               "is not told which array is meant",
               name, name, lua_isnone(L, 1) ? "" : "...");
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

void bind_guard_method(lua_State *L, int self, const char *name, int level) {
  self = lua_absindex(L, self);
  if (!bind_calls_at_once(L, level))
    return;
  lua_pushvalue(L, self);
  lua_pushstring(L, name);
  lua_pushcclosure(L, call_method, 3);
}
