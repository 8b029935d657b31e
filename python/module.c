// SPDX-License-Identifier: Apache-2.0
// The module warpshop._warpshop: its functions. The package beside it (warpshop/) has
// what needs no C.
#include "python/python.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "lua/bind/scale/scale.h"
#include "lua/bind/state/bind.h"

// ---- Running Lua ----

struct text {
  PyObject *source, *args; // args: a tuple, or NULL
  const char *name;        // in messages
  bool is_expression;
};

static const char *utf8(lua_State *L, PyObject *text) {
  Py_ssize_t bytes;
  const char *s = PyUnicode_AsUTF8AndSize(text, &bytes);
  if (s && strlen(s) == (size_t)bytes)
    return s;
  if (s)
    PyErr_SetString(PyExc_ValueError, "Lua's text holds a zero byte");
  shop_fail(L);
}

static int load(lua_State *L, const char *source, const char *chunk,
                bool is_expression) {
  bool is_unfinished;
  if (!is_expression)
    return bind_compile(L, source, chunk, &is_unfinished);
  const char *text = lua_pushfstring(L, "return %s", source);
  int status = luaL_loadbufferx(L, text, strlen(text), chunk, "t");
  lua_remove(L, -2);
  return status;
}

// The function and its arguments.
static void push_text(lua_State *L, void *context) {
  const struct text *t = context;
  const char *chunk = lua_pushfstring(L, "=%s", t->name);
  if (load(L, utf8(L, t->source), chunk, t->is_expression) != LUA_OK)
    lua_error(L);
  lua_remove(L, 1); // the name
  for (Py_ssize_t i = 0; t->args && i < PyTuple_Size(t->args); i++)
    value_push(L, PyTuple_GetItem(t->args, i));
}

static PyObject *run(PyObject *module, PyObject *args) {
  (void)module;
  struct text t = {0};
  if (!PyArg_ParseTuple(args, "UO!s:run", &t.source, &PyTuple_Type, &t.args,
                        &t.name))
    return NULL;
  return values_of_call(push_text, &t);
}

static PyObject *eval(PyObject *module, PyObject *args) {
  (void)module;
  struct text t = {.is_expression = true};
  if (!PyArg_ParseTuple(args, "Us:eval", &t.source, &t.name))
    return NULL;
  return values_of_call(push_text, &t);
}

// ---- Values ----

static bool is_word(PyObject *name) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  Py_ssize_t bytes;
  const char *s = PyUnicode_AsUTF8AndSize(name, &bytes);
  return s && bytes && (*s < '0' || *s > '9') &&
         strspn(s, letters) == (size_t)bytes;
}

struct setting {
  PyObject *name, *value;
};

static void set_global(lua_State *L, void *context) {
  const struct setting *s = context;
  lua_pushglobaltable(L);
  lua_pushstring(L, utf8(L, s->name));
  value_push(L, s->value);
  lua_rawset(L, -3);
  lua_settop(L, 0);
}

static PyObject *set(PyObject *module, PyObject *args) {
  (void)module;
  struct setting s;
  if (!PyArg_ParseTuple(args, "UO:set", &s.name, &s.value))
    return NULL;
  if (!is_word(s.name)) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%R is no name of a variable in Lua",
                 s.name);
    return NULL;
  }
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  bool is_set = shop_protect(L, set_global, &s, 0, 0);
  shop_leave();
  if (!is_set)
    return NULL;
  return Py_NewRef(Py_None);
}

static void push_borrowed(lua_State *L, void *object) {
  if (array_is(object)) {
    array_push(L, object);
    return;
  }
  if (borrow_push(L, object))
    return;
  PyErr_SetString(PyExc_TypeError,
                  "this object has no __dlpack__; ws.array(x) takes lists");
  shop_fail(L);
}

static PyObject *from_dlpack(PyObject *module, PyObject *object) {
  (void)module;
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *array = NULL;
  if (shop_protect(L, push_borrowed, object, 0, 1))
    array = values_take(L, 1);
  shop_leave();
  return array;
}

static void push_guest(lua_State *L, void *context) {
  (void)context;
  lscale_push_guest(L);
}

// What the workers of Dask's run tasks with (warpshop/scale.py).
static PyObject *scale(PyObject *module, PyObject *args) {
  (void)module;
  (void)args;
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *guest = NULL;
  if (shop_protect(L, push_guest, NULL, 0, 1))
    guest = values_take(L, 1);
  shop_leave();
  return guest;
}

static PyObject *copied_bytes(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  return PyLong_FromUnsignedLongLong(shop_copied_bytes());
}

static PyMethodDef functions[] = {
    {"run", run, METH_VARARGS, NULL},
    {"eval", eval, METH_VARARGS, NULL},
    {"scale", scale, METH_NOARGS, NULL},
    {"set", set, METH_VARARGS,
     "set(name, value)\n--\n\nSets a global variable of Lua's. Arrays of other "
     "libraries are shared."},
    {"from_dlpack", from_dlpack, METH_O,
     "from_dlpack(x)\n--\n\nAn Array over the memory of another library's, on "
     "the CPU or a GPU (NumPy, PyTorch, CuPy, JAX ...)."},
    {"copied_bytes", copied_bytes, METH_NOARGS,
     "copied_bytes()\n--\n\nBytes of arrays that were copied, since the "
     "import, "
     "where they could not be shared with another library."},
    {0},
};

// The program's own files lie beside the module, not beside Python.
static bool find_files(void) {
  Dl_info info;
  if (!dladdr((void *)functions, &info) || !info.dli_fname) {
    PyErr_SetString(PyExc_ImportError, "the module's own file is not known");
    return false;
  }
  char *path = realpath(info.dli_fname, NULL);
  file_set_program(path ? path : info.dli_fname);
  free(path);
  return true;
}

static int execute(PyObject *module) {
  bool is_open =
      find_files() && shop_add(module) && value_add(module) &&
      array_add(module) && table_add(module) &&
      !PyModule_AddStringConstant(module, "version", WARPSHOP_VERSION);
  return is_open ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_warpshop",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__warpshop(void); // that Python looks for
PyMODINIT_FUNC PyInit__warpshop(void) {
  return PyModuleDef_Init(&definition);
}
