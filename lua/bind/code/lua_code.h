// SPDX-License-Identifier: Apache-2.0
// Where Lua 5.4 keeps the instruction that a function runs. Lua has no public
// way to it; the layout is the same in all of 5.4 (lstate.h, lobject.h,
// lopcodes.h), and who uses it proves that first on a function of its own.
#ifndef LUA_BIND_CODE_LUA_CODE_H
#define LUA_BIND_CODE_LUA_CODE_H

#include <stddef.h>
#include <string.h>

// Opcodes.
enum {
  OP_SETUPVAL = 10,
  OP_GETTABUP = 11,
  OP_GETTABLE = 12,
  OP_GETFIELD = 14,
  OP_SETTABUP = 15,
  OP_SETTABLE = 16,
  OP_SETI = 17,
  OP_SETFIELD = 18,
  OP_NOT = 51,
  OP_JMP = 56,
  OP_EQ = 57,
  OP_EQK = 60,
  OP_EQI = 61,
  OP_TEST = 66,
  OP_TESTSET = 67,
  OP_CALL = 68,
  OP_TAILCALL = 69,
  OP_FORPREP = 74,
  OP_EXTRAARG = 82,
};

// Offsets in CallInfo, LClosure, Proto and TValue, where pointers have 8 bytes.
enum {
  CALL_PREVIOUS = 16,
  CALL_SAVEDPC = 32,
  CLOSURE_PROTO = 24,
  PROTO_CODE_SIZE = 24, // an int
  PROTO_CONSTANTS = 56,
  PROTO_CODE = 64,
  VALUE_BYTES = 16,
  VALUE_TYPE = 8,
};

static inline const void *lua_code_field(const void *base, size_t offset) {
  const void *p;
  memcpy(&p, (const char *)base + offset, sizeof p);
  return p;
}

#endif
