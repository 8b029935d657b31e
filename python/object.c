// SPDX-License-Identifier: Apache-2.0
// Objects of Python's that Lua holds: capsules, on their way from one to the other.
#include "python/python.h"

#include <lauxlib.h>

#define OBJECT_TYPE "python.object"

static PyObject **object_at(lua_State *L, int i) {
  return luaL_testudata(L, i, OBJECT_TYPE);
}

PyObject *object_test(lua_State *L, int i) {
  PyObject **o = object_at(L, i);
  return o ? *o : NULL;
}

void object_push(lua_State *L, PyObject *object) {
  PyObject **o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = object;
  luaL_setmetatable(L, OBJECT_TYPE);
}

// Lua's collector runs with Python's lock and without it.
static int release(lua_State *L) {
  PyObject **o = object_at(L, 1);
  if (!o || !*o || !Py_IsInitialized())
    return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  Py_CLEAR(*o);
  PyGILState_Release(state);
  return 0;
}

static int to_text(lua_State *L) {
  lua_pushstring(L, object_test(L, 1)
                        ? "a capsule of Python's: np.from_dlpack takes it"
                        : "a capsule of Python's that is gone");
  return 1;
}

void object_open(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", release},
      {"__close", release},
      {"__tostring", to_text},
      {NULL, NULL},
  };
  luaL_newmetatable(L, OBJECT_TYPE);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
