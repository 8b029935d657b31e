// SPDX-License-Identifier: Apache-2.0
// Values between Lua and Python: numbers, texts, tables as lists and dicts, arrays.
// Whatever else Lua has (functions, kernels, modules) is a Value: it can be called and
// given back; frames and series are of table.c's types.
#include "python/python.h"

#include <lauxlib.h>
#include <stdint.h>

#include "lua/bind/np/array.h"

enum { MOST_DEPTH = 100 };

static PyTypeObject *value_type;

// ---- To Python ----

static PyObject *text_to_python(lua_State *L, int i) {
  size_t bytes;
  const char *text = lua_tolstring(L, i, &bytes);
  PyObject *s = PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, NULL);
  if (s || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))
    return s;
  PyErr_Clear();
  return PyBytes_FromStringAndSize(text, (Py_ssize_t)bytes);
}

static PyObject *other_to_python(lua_State *L, int i) {
  PyObject *object = object_test(L, i);
  if (object)
    return Py_NewRef(object);
  lua_pushvalue(L, i);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  PyTypeObject *type = table_type_of(L, i);
  struct value *v = PyObject_New(struct value, type ? type : value_type);
  if (v)
    v->ref = ref;
  else
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
  return (PyObject *)v;
}

static PyObject *to_python(lua_State *L, int i, int depth);

// Keys 1 to n and no others?
static bool is_list(lua_State *L, int i) {
  lua_Unsigned n = lua_rawlen(L, i), count = 0;
  lua_pushnil(L);
  while (lua_next(L, i)) {
    lua_pop(L, 1);
    count++;
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 ||
        (lua_Unsigned)lua_tointeger(L, -1) > n) {
      lua_pop(L, 1);
      return false;
    }
  }
  return count == n;
}

static PyObject *list_to_python(lua_State *L, int i, int depth) {
  Py_ssize_t n = (Py_ssize_t)lua_rawlen(L, i);
  PyObject *list = PyList_New(n);
  for (Py_ssize_t k = 0; list && k < n; k++) {
    lua_rawgeti(L, i, k + 1);
    PyObject *one = to_python(L, lua_gettop(L), depth);
    lua_pop(L, 1);
    if (!one || PyList_SetItem(list, k, one))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *dict_to_python(lua_State *L, int i, int depth) {
  PyObject *dict = PyDict_New();
  lua_pushnil(L);
  while (lua_next(L, i)) {
    int top = lua_gettop(L);
    PyObject *key = dict ? to_python(L, top - 1, depth) : NULL;
    PyObject *one = key ? to_python(L, top, depth) : NULL;
    if (!one || PyDict_SetItem(dict, key, one))
      Py_CLEAR(dict);
    Py_XDECREF(key);
    Py_XDECREF(one);
    lua_settop(L, top - 1);
  }
  return dict;
}

static PyObject *table_to_python(lua_State *L, int i, int depth) {
  if (lua_getmetatable(L, i)) {
    lua_pop(L, 1);
    return other_to_python(L, i);
  }
  if (depth == MOST_DEPTH || !lua_checkstack(L, 10)) {
    PyErr_Format(
        PyExc_ValueError,
        "a table in a table ... more than %d deep, or in itself, is no "
        "list or dict of Python's",
        MOST_DEPTH);
    return NULL;
  }
  return is_list(L, i) ? list_to_python(L, i, depth + 1)
                       : dict_to_python(L, i, depth + 1);
}

static PyObject *to_python(lua_State *L, int i, int depth) {
  const struct array *a;
  switch (lua_type(L, i)) {
  case LUA_TNIL: return Py_NewRef(Py_None);
  case LUA_TBOOLEAN: return PyBool_FromLong(lua_toboolean(L, i));
  case LUA_TNUMBER:
    return lua_isinteger(L, i) ? PyLong_FromLongLong(lua_tointeger(L, i))
                               : PyFloat_FromDouble(lua_tonumber(L, i));
  case LUA_TSTRING: return text_to_python(L, i);
  case LUA_TTABLE: return table_to_python(L, i, depth);
  default:
    a = array_test(L, i);
    return a ? array_to_python(a) : other_to_python(L, i);
  }
}

PyObject *value_to_python(lua_State *L, int i) {
  return to_python(L, lua_absindex(L, i), 0);
}

static PyObject *all_to_python(lua_State *L) {
  int n = lua_gettop(L);
  if (n == 0)
    Py_RETURN_NONE;
  if (n == 1)
    return value_to_python(L, 1);
  PyObject *all = PyTuple_New(n);
  for (int i = 0; all && i < n; i++) {
    PyObject *one = value_to_python(L, 1 + i);
    if (!one || PyTuple_SetItem(all, i, one))
      Py_CLEAR(all);
  }
  return all;
}

static void take(lua_State *L, void *context) {
  *(PyObject **)context = all_to_python(L);
  lua_settop(L, 0);
}

PyObject *values_take(lua_State *L, int count) {
  PyObject *all = NULL;
  return shop_protect(L, take, &all, count, 0) ? all : NULL;
}

PyObject *values_of_call(void (*push)(lua_State *L, void *context),
                         void *context) {
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  int top = lua_gettop(L);
  PyObject *result = NULL;
  if (shop_protect(L, push, context, 0, LUA_MULTRET) &&
      shop_call(L, lua_gettop(L) - top - 1, LUA_MULTRET))
    result = values_take(L, lua_gettop(L) - top);
  shop_leave();
  return result;
}

// ---- To Lua ----

static void push(lua_State *L, PyObject *object, int depth);

static void push_integer(lua_State *L, PyObject *object) {
  int overflow = 0;
  long long n = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow)
    PyErr_SetString(PyExc_OverflowError,
                    "Lua's integers have 64 bits, and this one needs more");
  if (PyErr_Occurred())
    shop_fail(L);
  lua_pushinteger(L, n);
}

static void push_text(lua_State *L, PyObject *object) {
  Py_ssize_t bytes;
  const char *text = PyUnicode_AsUTF8AndSize(object, &bytes);
  if (!text)
    shop_fail(L);
  lua_pushlstring(L, text, (size_t)bytes);
}

static void push_sequence(lua_State *L, PyObject *object, int depth) {
  bool is_tuple = PyTuple_Check(object);
  lua_newtable(L);
  // The length is asked again: an element's __dlpack__ may change the list.
  for (Py_ssize_t i = 0;
       i < (is_tuple ? PyTuple_Size(object) : PyList_Size(object)); i++) {
    push(L, is_tuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i),
         depth);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_dict(lua_State *L, PyObject *object, int depth) {
  PyObject *key, *one;
  Py_ssize_t at = 0;
  lua_newtable(L);
  while (PyDict_Next(object, &at, &key, &one)) {
    push(L, key, depth);
    if (lua_isnil(L, -1) ||
        (lua_isnumber(L, -1) && lua_tonumber(L, -1) != lua_tonumber(L, -1))) {
      PyErr_SetString(PyExc_TypeError,
                      "None and nan are no keys of a table in Lua");
      shop_fail(L);
    }
    push(L, one, depth);
    lua_rawset(L, -3);
  }
}

// numpy.int64(1), numpy.float32(1): numbers that are none of Python's own types.
static bool push_number_like(lua_State *L, PyObject *object) {
  bool is_whole = PyIndex_Check(object);
  if (!is_whole && !PyObject_HasAttrString(object, "__float__"))
    return false;
  PyObject *n = is_whole ? PyNumber_Index(object) : PyNumber_Float(object);
  if (!n)
    shop_fail(L);
  if (!is_whole) {
    lua_pushnumber(L, PyFloat_AsDouble(n));
    Py_DECREF(n);
    return true;
  }
  int overflow;
  long long whole = PyLong_AsLongLongAndOverflow(n, &overflow);
  Py_DECREF(n);
  if (overflow)
    lua_pushnumber(L, PyFloat_AsDouble(object));
  else
    lua_pushinteger(L, whole);
  if (PyErr_Occurred())
    shop_fail(L);
  return true;
}

static void push_other(lua_State *L, PyObject *object) {
  if (PyObject_TypeCheck(object, value_type) || table_is(object)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, ((struct value *)object)->ref);
    return;
  }
  if (arrow_push(L, object) || borrow_push(L, object) ||
      push_number_like(L, object))
    return;
  PyObject *name = PyType_GetName(Py_TYPE(object));
  PyErr_Format(PyExc_TypeError,
               "warpshop takes numbers, texts, lists, dicts, arrays (whatever "
               "has __dlpack__) and tables (whatever has "
               "__arrow_c_stream__), and this is of the type %U",
               name);
  Py_XDECREF(name);
  shop_fail(L);
}

static void push(lua_State *L, PyObject *object, int depth) {
  luaL_checkstack(L, 10, "too many values");
  if (depth == MOST_DEPTH) {
    PyErr_Format(PyExc_ValueError,
                 "a list in a list ... more than %d deep, or in itself, is no "
                 "table of Lua's",
                 MOST_DEPTH);
    shop_fail(L);
  }
  if (object == Py_None)
    lua_pushnil(L);
  else if (PyBool_Check(object))
    lua_pushboolean(L, object == Py_True);
  else if (PyLong_Check(object))
    push_integer(L, object);
  else if (PyFloat_Check(object))
    lua_pushnumber(L, PyFloat_AsDouble(object));
  else if (PyUnicode_Check(object))
    push_text(L, object);
  else if (PyBytes_Check(object))
    lua_pushlstring(L, PyBytes_AsString(object), (size_t)PyBytes_Size(object));
  else if (array_is(object))
    array_push(L, object);
  else if (PyList_Check(object) || PyTuple_Check(object))
    push_sequence(L, object, depth + 1);
  else if (PyDict_Check(object))
    push_dict(L, object, depth + 1);
  else
    push_other(L, object);
}

void value_push(lua_State *L, PyObject *object) {
  push(L, object, 0);
}

// ---- The type Value ----

void value_dealloc(PyObject *self) {
  int ref = ((struct value *)self)->ref;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
  if (ref != LUA_NOREF)
    shop_drop_ref(ref);
}

static void push_self_text(lua_State *L, void *self) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((struct value *)self)->ref);
  luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2);
}

PyObject *value_repr(PyObject *self) {
  lua_State *L = shop_enter();
  PyObject *text = NULL;
  if (!L)
    return NULL;
  if (shop_protect(L, push_self_text, self, 0, 1))
    text = values_take(L, 1);
  shop_leave();
  return text;
}

struct call {
  PyObject *self, *args;
};

static void push_call(lua_State *L, void *context) {
  const struct call *c = context;
  value_push(L, c->self);
  for (Py_ssize_t i = 0; i < PyTuple_Size(c->args); i++)
    value_push(L, PyTuple_GetItem(c->args, i));
}

static PyObject *value_call(PyObject *self, PyObject *args, PyObject *named) {
  struct call c = {self, args};
  if (named && PyDict_Size(named)) {
    PyErr_SetString(PyExc_TypeError,
                    "functions of Lua have no named arguments: a dict as the "
                    "last one is what many of them take");
    return NULL;
  }
  return values_of_call(push_call, &c);
}

static PyType_Slot value_slots[] = {
    {Py_tp_doc, (void *)"A value of Lua's that Python has no type for: a "
                        "function, a kernel, a module."},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_repr, value_repr},
    {Py_tp_call, value_call},
    {0, NULL},
};

static PyType_Spec value_spec = {
    .name = "warpshop.Value",
    .basicsize = sizeof(struct value),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = value_slots,
};

bool value_add(PyObject *module) {
  value_type = (PyTypeObject *)PyType_FromSpec(&value_spec);
  return value_type && !PyModule_AddType(module, value_type);
}
