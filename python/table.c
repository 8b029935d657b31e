// SPDX-License-Identifier: Apache-2.0
// warpshop.Frame and warpshop.Series: frame's tables and columns as Python sees them.
// They are Lua's own values, and other libraries take their columns by Arrow's C data
// interface.
#include "python/python.h"

#include <lauxlib.h>
#include <string.h>

static PyTypeObject *frame_type, *series_type;

static bool is_series(PyObject *self) {
  return PyObject_TypeCheck(self, series_type);
}

PyTypeObject *table_type_of(lua_State *L, int i) {
  PyTypeObject *type = NULL;
  if (luaL_getmetafield(L, i, "frame_kind") != LUA_TNIL) {
    const char *kind = luaL_checkstring(L, -1);
    type = !strcmp(kind, "frame")    ? frame_type
           : !strcmp(kind, "series") ? series_type
                                     : NULL;
    lua_pop(L, 1);
  }
  return type;
}

bool table_is(PyObject *object) {
  return PyObject_TypeCheck(object, frame_type) || is_series(object);
}

// ---- What they are ----

struct field {
  PyObject *self;
  const char *name;
  PyObject *key; // or NULL: the field of that name
};

static int l_field(lua_State *L) {
  lua_gettable(L, 1);
  return 1;
}

// A frame's own column, whatever methods there are.
static int l_column(lua_State *L) {
  lua_getfield(L, 1, "column");
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int l_rows(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, 1));
  return 1;
}

static void push_field(lua_State *L, void *context) {
  const struct field *f = context;
  lua_pushcfunction(L, f->key ? l_column : l_field);
  value_push(L, f->self);
  if (f->key)
    value_push(L, f->key);
  else
    lua_pushstring(L, f->name);
}

static PyObject *get_field(PyObject *self, void *name) {
  struct field f = {self, name, NULL};
  return values_of_call(push_field, &f);
}

static PyObject *get_column(PyObject *self, PyObject *key) {
  struct field f = {self, NULL, key};
  if (PyUnicode_Check(key))
    return values_of_call(push_field, &f);
  PyErr_SetString(PyExc_TypeError, "a frame's column goes by its name");
  return NULL;
}

static PyObject *get_shape(PyObject *self, void *none) {
  (void)none;
  PyObject *list = get_field(self, (void *)"shape");
  PyObject *shape = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return shape;
}

static void push_rows(lua_State *L, void *self) {
  lua_pushcfunction(L, l_rows);
  value_push(L, self);
}

static Py_ssize_t get_length(PyObject *self) {
  PyObject *n = values_of_call(push_rows, self);
  Py_ssize_t rows = n ? PyLong_AsSsize_t(n) : -1;
  Py_XDECREF(n);
  return rows;
}

// ---- Arrow ----

// requested_schema, borrowed; NULL: it is not given. False: a Python error is set.
static bool read_request(PyObject *args, PyObject *named, PyObject **out) {
  static char *names[] = {(char *)"requested_schema", NULL};
  *out = NULL;
  return PyArg_ParseTupleAndKeywords(args, named, "|O", names, out);
}

// Of what later versions know more of, None may be passed over.
static bool read_device_request(PyObject *args, PyObject *named,
                                PyObject **out) {
  PyObject *own = PyDict_New(), *key, *value;
  bool is_fine = own != NULL;
  for (Py_ssize_t at = 0;
       is_fine && named && PyDict_Next(named, &at, &key, &value);) {
    bool is_known =
        PyUnicode_CompareWithASCIIString(key, "requested_schema") == 0;
    if (is_known)
      is_fine = !PyDict_SetItem(own, key, value);
    else if (value != Py_None) // NULL, as ever
      is_fine = PyErr_Format(PyExc_NotImplementedError,
                             "__arrow_c_device_array__: %R is not known", key);
  }
  is_fine = is_fine && read_request(args, own, out);
  Py_XDECREF(own);
  return is_fine;
}

static PyObject *arrow_schema(PyObject *self, PyObject *none) {
  (void)none;
  return lend_arrow_schema(self, is_series(self));
}

static PyObject *arrow_array(PyObject *self, PyObject *args, PyObject *named) {
  PyObject *asked;
  if (!read_request(args, named, &asked))
    return NULL;
  return lend_arrow_array(self, is_series(self), false, asked);
}

static PyObject *arrow_device_array(PyObject *self, PyObject *args,
                                    PyObject *named) {
  PyObject *asked;
  if (!read_device_request(args, named, &asked))
    return NULL;
  return lend_arrow_array(self, is_series(self), true, asked);
}

static PyObject *arrow_stream(PyObject *self, PyObject *args, PyObject *named) {
  PyObject *asked;
  if (!read_request(args, named, &asked))
    return NULL;
  return lend_arrow_stream(self, is_series(self), asked);
}

static PyMethodDef table_methods[] = {
    {"__arrow_c_schema__", arrow_schema, METH_NOARGS,
     "Arrow's schema of it, as a capsule."},
    {"__arrow_c_array__", (PyCFunction)(void (*)(void))arrow_array,
     METH_VARARGS | METH_KEYWORDS,
     "Its rows as one array of Arrow's: two capsules."},
    {"__arrow_c_device_array__",
     (PyCFunction)(void (*)(void))arrow_device_array,
     METH_VARARGS | METH_KEYWORDS,
     "The same, with where it lies: on the CPU; what was on a device is "
     "copied."},
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))arrow_stream,
     METH_VARARGS | METH_KEYWORDS, "Its rows as a stream of Arrow's."},
    {0},
};

static PyGetSetDef frame_properties[] = {
    {"columns", get_field, NULL, "The columns' names.", (void *)"columns"},
    {"shape", get_shape, NULL, "How many rows and columns it has.", NULL},
    {"device", get_field, NULL, "\"host\", \"virtual:0\", \"cuda:0\".",
     (void *)"device"},
    {0},
};

static PyGetSetDef series_properties[] = {
    {"name", get_field, NULL, "Its name, or None.", (void *)"name"},
    {"dtype", get_field, NULL, "Its type: \"f64\", \"str\".", (void *)"dtype"},
    {"shape", get_shape, NULL, "How many rows it has.", NULL},
    {"device", get_field, NULL, "\"host\", \"virtual:0\", \"cuda:0\".",
     (void *)"device"},
    {0},
};

static PyType_Slot frame_slots[] = {
    {Py_tp_doc,
     (void *)"A frame of warpshop's. pyarrow.table(f), "
             "pandas.DataFrame.from_arrow(f) and polars.DataFrame(f) "
             "share its numbers."},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_repr, value_repr},
    {Py_tp_methods, table_methods},
    {Py_tp_getset, frame_properties},
    {Py_mp_length, get_length},
    {Py_mp_subscript, get_column},
    {0, NULL},
};

static PyType_Slot series_slots[] = {
    {Py_tp_doc, (void *)"A column of warpshop's. pyarrow.array(s) shares its "
                        "numbers."},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_repr, value_repr},
    {Py_tp_methods, table_methods},
    {Py_tp_getset, series_properties},
    {Py_mp_length, get_length},
    {0, NULL},
};

static PyType_Spec frame_spec = {
    .name = "warpshop.Frame",
    .basicsize = sizeof(struct value),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = frame_slots,
};

static PyType_Spec series_spec = {
    .name = "warpshop.Series",
    .basicsize = sizeof(struct value),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = series_slots,
};

bool table_add(PyObject *module) {
  frame_type = (PyTypeObject *)PyType_FromSpec(&frame_spec);
  series_type = (PyTypeObject *)PyType_FromSpec(&series_spec);
  return frame_type && series_type && !PyModule_AddType(module, frame_type) &&
         !PyModule_AddType(module, series_type);
}
