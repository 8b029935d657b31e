// SPDX-License-Identifier: Apache-2.0
// warpshop.Array: an array of np's, cuda's or jax's as Python sees it. It refers to the
// same storage as Lua's arrays, and what other libraries make of it does, too.
#include "python/python.h"

#include <lauxlib.h>
#include <stdio.h>

#include "base/dtype.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"
#include "python/dlpack.h"
#include "python/link.h"

struct shop_array {
  PyObject ob_base;
  struct array array;      // with a reference to its storage
  struct mapping *mapping; // of a device array that others asked for, or NULL
  struct mapping *told;    // by the CUDA array interface: lent while this lives
};

static PyTypeObject *array_type;

static const struct array *array_of(PyObject *self) {
  return &((struct shop_array *)self)->array;
}

PyObject *array_to_python(const struct array *a) {
  struct shop_array *s = PyObject_New(struct shop_array, array_type);
  if (!s)
    return NULL;
  s->array = *a;
  s->mapping = s->told = NULL;
  storage_ref(s->array.storage);
  return (PyObject *)s;
}

static void array_dealloc(PyObject *self) {
  struct shop_array same = *(struct shop_array *)self;
  PyTypeObject *type = Py_TYPE(self);
  link_unmap(same.mapping);
  link_take_back(same.told);
  PyObject_Free(self);
  Py_DECREF(type);
  shop_drop_storage(same.array.storage, (same.mapping ? SHOP_PIN : 0) |
                                            (same.told ? SHOP_LOAN : 0));
}

bool array_is(PyObject *object) {
  return PyObject_TypeCheck(object, array_type);
}

void array_push(lua_State *L, PyObject *object) {
  const struct array *a = array_of(object);
  struct array *v =
      array_push_view(L, a->storage, a->dtype, a->ndim, a->shape, a->strides);
  v->offset = a->offset;
  v->is_readonly = a->is_readonly;
  v->is_jax = a->is_jax;
  v->is_weak = a->is_weak;
}

// ---- On the host ----

static void call_method(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
}

// host(x, wants_copy): x on the host, done with; a copy where it lives elsewhere.
static int l_host(lua_State *L) {
  array_fetch_jax(L, 1);
  struct array *a = array_check(L, 1);
  if (array_is_device(a))
    call_method(L, "copy_to_host");
  else if (lua_toboolean(L, 2))
    array_push_copy(L, a, a->dtype), lua_replace(L, 1);
  a = array_check(L, 1);
  array_await(L, a, !a->is_readonly);
  lua_settop(L, 1);
  return 1;
}

static void push_host_call(lua_State *L, void *self) {
  lua_pushcfunction(L, l_host);
  array_push(L, self);
}

// An Array on the host; `self` itself, where that is one and no copy is wanted.
static PyObject *on_host(lua_State *L, PyObject *self, bool wants_copy) {
  PyObject *host = NULL;
  if (!shop_protect(L, push_host_call, self, 0, 2))
    return NULL;
  lua_pushboolean(L, wants_copy);
  if (!shop_call(L, 2, 1))
    return NULL;
  const struct array *a = array_test(L, -1);
  host = array_to_python(a);
  lua_pop(L, 1);
  return host;
}

// ---- On a GPU ----

// The mapping of its memory in this process, or NULL: only a copy on the CPU leaves. What
// is mapped stays allocated, so that no other array takes its addresses in the server.
static struct mapping *mapping_of(lua_State *L, PyObject *self) {
  struct shop_array *s = (struct shop_array *)self;
  struct device_storage *ds = device_storage_of(s->array.storage);
  if (s->mapping && !link_is_of(s->mapping, &s->array)) { // of a server before
    link_unmap(s->mapping);
    s->mapping = NULL;
    device_storage_unpin(ds);
  }
  if (!s->mapping && array_is_device(&s->array)) {
    s->mapping = link_map(L, &s->array);
    if (s->mapping)
      device_storage_pin(ds);
  }
  return s->mapping;
}

// Whoever is told of its memory has it while the Array lives: nobody says when they are
// done. False: they have that of a server before.
static bool lend_for_life(struct shop_array *s) {
  if (s->told)
    return link_is_of(s->told, &s->array);
  s->told = link_lend(s->mapping);
  device_storage_lend(device_storage_of(s->array.storage),
                      !s->array.is_readonly);
  return true;
}

// ---- DLPack ----

struct wanted {
  PyObject *stream, *max_version, *device, *copy; // borrowed; NULL: not given
};

static bool is_given(PyObject *object) {
  return object && object != Py_None;
}

static bool has_version_1(PyObject *max_version) {
  if (!is_given(max_version) || !PyTuple_Check(max_version) ||
      PyTuple_Size(max_version) < 1)
    return false;
  return PyLong_AsLong(PyTuple_GetItem(max_version, 0)) >= DL_MAJOR;
}

// What is lent, and is not: the CPU's memory, or that of a GPU.
static bool refuse_device(const struct wanted *w, const struct mapping *m) {
  if (m)
    PyErr_Format(PyExc_BufferError,
                 "this array is lent on the GPU, (2, %d), or copied to the "
                 "CPU, (1, 0), and not on device %S of DLPack's",
                 link_ordinal(m), w->device);
  else
    PyErr_Format(PyExc_BufferError,
                 "this array is lent on the CPU, (1, 0), and not on device %S "
                 "of DLPack's",
                 w->device);
  return false;
}

// False: a Python error is set. Else `*on_gpu` says where it is lent.
static bool check_wanted(const struct wanted *w, const struct mapping *m,
                         bool *on_gpu) {
  int type = m ? DL_CUDA : DL_CPU, id = m ? link_ordinal(m) : 0;
  if (is_given(w->device) && (!PyTuple_Check(w->device) ||
                              !PyArg_ParseTuple(w->device, "ii", &type, &id)))
    return PyErr_Occurred() ? false : refuse_device(w, m);
  *on_gpu = m && type == DL_CUDA && id == link_ordinal(m);
  if (!*on_gpu && type != DL_CPU)
    return refuse_device(w, m);
  if (!*on_gpu && is_given(w->stream)) {
    PyErr_SetString(PyExc_BufferError,
                    "this array is lent on the CPU, which has no streams: "
                    "stream has to be None");
    return false;
  }
  return true;
}

// What lives on a virtual GPU has its memory in another process.
static bool may_copy(lua_State *L, const struct array *a, bool is_forbidden) {
  static bool was_said;
  char text[200];
  snprintf(
      text, sizeof text,
      "%s lives on %s: what Python's libraries get of it is a copy on the CPU",
      a->is_jax ? "an array of jax's" : "a device array", array_where(L, a));
  if (!is_forbidden) {
    shop_count_copied((uint64_t)array_count(a) * dtype_bytes(a->dtype));
    return shop_warn_copy(&was_said, text);
  }
  PyErr_Format(PyExc_BufferError, "%s, and copy=False forbids one", text);
  return false;
}

// A capsule over the GPU's memory, for whatever stream: our work is done. -1: the
// consumer sees to that.
static PyObject *lend_on_gpu(lua_State *L, PyObject *self,
                             const struct wanted *w, struct lend how) {
  const struct array *a = array_of(self);
  long long stream = is_given(w->stream) ? PyLong_AsLongLong(w->stream) : 0;
  if (PyErr_Occurred() || (stream != -1 && !link_await(L, a)))
    return NULL;
  how.mapping = mapping_of(L, self); // of a new server, where that one died
  if (how.mapping)
    return lend_capsule(a, how);
  PyErr_SetString(PyExc_BufferError,
                  "this array's memory cannot be shared any more: its device "
                  "server was started anew; dl_device=(1, 0) asks for a copy");
  return NULL;
}

static bool refuse_readonly(void) {
  PyErr_SetString(PyExc_BufferError,
                  "this array is read-only, which a consumer that does not "
                  "know DLPack 1 would not see: copy=True gives it a copy");
  return false;
}

static void push_copy_call(lua_State *L, void *self) {
  array_push(L, self);
  lua_getfield(L, -1, "copy");
  lua_insert(L, -2);
}

// A copy on the GPU, lent in place of the array.
static PyObject *lend_copy_on_gpu(lua_State *L, PyObject *self,
                                  const struct wanted *w, struct lend how) {
  if (!shop_protect(L, push_copy_call, self, 0, 2) || !shop_call(L, 1, 1))
    return NULL;
  PyObject *copy = array_to_python(array_test(L, -1));
  PyObject *capsule = NULL;
  lua_pop(L, 1);
  if (copy && mapping_of(L, copy)) {
    ((struct shop_array *)copy)->array.is_readonly = false;
    capsule = lend_on_gpu(L, copy, w, how);
  } else if (copy) {
    PyErr_SetString(PyExc_BufferError, "a copy of this array cannot be lent");
  }
  Py_XDECREF(copy);
  return capsule;
}

static PyObject *lend(lua_State *L, PyObject *self, const struct wanted *w) {
  const struct array *a = array_of(self);
  bool wants_copy = is_given(w->copy) && PyObject_IsTrue(w->copy) == 1;
  bool is_forbidden = w->copy == Py_False, on_gpu;
  if (!check_wanted(w, mapping_of(L, self), &on_gpu))
    return NULL;
  if (on_gpu) {
    struct lend on = {.is_versioned = has_version_1(w->max_version),
                      .is_copied = wants_copy};
    if (wants_copy)
      return lend_copy_on_gpu(L, self, w, on);
    return a->is_readonly && !on.is_versioned && !refuse_readonly()
               ? NULL
               : lend_on_gpu(L, self, w, on);
  }
  struct lend how = {.is_versioned = has_version_1(w->max_version),
                     .is_copied = wants_copy || array_is_device(a)};
  if (PyErr_Occurred() || (array_is_device(a) && !may_copy(L, a, is_forbidden)))
    return NULL;
  if (a->is_readonly && !how.is_copied && !how.is_versioned &&
      !refuse_readonly())
    return NULL;
  PyObject *host = on_host(L, self, wants_copy);
  PyObject *capsule = host ? lend_capsule(array_of(host), how) : NULL;
  Py_XDECREF(host);
  return capsule;
}

static PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *named) {
  static char *names[] = {(char *)"stream", (char *)"max_version",
                          (char *)"dl_device", (char *)"copy", NULL};
  struct wanted w = {0};
  if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOO:__dlpack__", names,
                                   &w.stream, &w.max_version, &w.device,
                                   &w.copy))
    return NULL;
  lua_State *L = shop_enter();
  PyObject *capsule = L ? lend(L, self, &w) : NULL;
  if (L)
    shop_leave();
  return capsule;
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *none) {
  (void)none;
  if (!array_is_device(array_of(self)))
    return lend_device(NULL);
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *where = lend_device(mapping_of(L, self));
  shop_leave();
  return where;
}

// ---- The array interfaces ----

static PyObject *array_interface(PyObject *self, void *none) {
  (void)none;
  const struct array *a = array_of(self);
  if (array_is_device(a) || a->dtype == DTYPE_BF16) {
    PyErr_Format(PyExc_AttributeError, "%s has no __array_interface__: %s",
                 array_is_device(a) ? "a device array" : "an array of bfloat16",
                 array_is_device(a) ? "numpy.from_dlpack(x) copies it"
                                    : "NumPy has no such type");
    return NULL;
  }
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *host = on_host(L, self, false);
  PyObject *told = host ? lend_interface(a, NULL) : NULL;
  Py_XDECREF(host);
  shop_leave();
  return told;
}

static PyObject *array_cuda_interface(PyObject *self, void *none) {
  const struct array *a = array_of(self);
  PyObject *told = NULL;
  (void)none;
  bool may_be = array_is_device(a) && a->dtype != DTYPE_BF16;
  lua_State *L = may_be ? shop_enter() : NULL;
  if (may_be && !L)
    return NULL;
  // Only then: the wait may start its server anew, and the array is elsewhere.
  bool is_done = L && mapping_of(L, self) && link_await(L, a);
  struct mapping *m = is_done ? mapping_of(L, self) : NULL;
  if (m && lend_for_life((struct shop_array *)self))
    told = lend_interface(a, m);
  if (L)
    shop_leave();
  if (!told && !PyErr_Occurred())
    PyErr_SetString(PyExc_AttributeError,
                    "this array has no __cuda_array_interface__: it is not in "
                    "the memory of a GPU that this process reaches, or of a "
                    "type that the interface does not know");
  return told;
}

// Itself, or where it is on a device a copy on the host, which is said.
static PyObject *host_of(PyObject *self) {
  const struct array *a = array_of(self);
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *host = array_is_device(a) && !may_copy(L, a, false)
                       ? NULL
                       : on_host(L, self, false);
  shop_leave();
  return host;
}

// What numpy.asarray asks where there is no interface: device arrays.
static PyObject *array_numpy(PyObject *self, PyObject *args, PyObject *named) {
  static char *names[] = {(char *)"dtype", (char *)"copy", NULL};
  PyObject *dtype = NULL, *copy = NULL, *result = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, named, "|OO:__array__", names, &dtype,
                                   &copy))
    return NULL;
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *host = numpy ? host_of(self) : NULL;
  if (host)
    result = PyObject_CallMethod(numpy, "from_dlpack", "O", host);
  Py_XDECREF(host);
  Py_XDECREF(numpy);
  if (!result || !is_given(dtype))
    return result;
  PyObject *other = PyObject_CallMethod(result, "astype", "O", dtype);
  Py_DECREF(result);
  return other;
}

// ---- What it is ----

static PyObject *array_shape(PyObject *self, void *none) {
  (void)none;
  const struct array *a = array_of(self);
  return lend_sizes(a->shape, a->ndim);
}

static PyObject *array_dtype(PyObject *self, void *none) {
  (void)none;
  return PyUnicode_FromString(dtype_numpy_name(array_of(self)->dtype));
}

static PyObject *array_ndim(PyObject *self, void *none) {
  (void)none;
  return PyLong_FromLong(array_of(self)->ndim);
}

static PyObject *array_size(PyObject *self, void *none) {
  (void)none;
  return PyLong_FromLongLong(array_count(array_of(self)));
}

static PyObject *array_device(PyObject *self, void *none) {
  (void)none;
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  PyObject *text = PyUnicode_FromString(array_where(L, array_of(self)));
  shop_leave();
  return text;
}

static Py_ssize_t array_length(PyObject *self) {
  const struct array *a = array_of(self);
  if (a->ndim)
    return (Py_ssize_t)a->shape[0];
  PyErr_SetString(PyExc_TypeError, "an array without axes has no length");
  return -1;
}

static int l_text(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static int l_list(lua_State *L) {
  array_fetch_jax(L, 1);
  if (array_is_device(array_check(L, 1)))
    call_method(L, "copy_to_host");
  if (array_check(L, 1)->ndim == 0)
    array_push_element(L, array_check(L, 1)->dtype,
                       array_data(array_check_host(L, 1, "tolist")));
  else
    call_method(L, "tolist"), lua_settop(L, 1);
  return 1;
}

struct on_self {
  PyObject *self;
  lua_CFunction function;
};

static void push_on_self(lua_State *L, void *context) {
  const struct on_self *on = context;
  lua_pushcfunction(L, on->function);
  array_push(L, on->self);
}

// function(self), a function of ours, as a Python value.
static PyObject *call_on(PyObject *self, lua_CFunction function) {
  struct on_self on = {self, function};
  return values_of_call(push_on_self, &on);
}

static PyObject *array_repr(PyObject *self) {
  return call_on(self, l_text);
}

static PyObject *array_tolist(PyObject *self, PyObject *none) {
  (void)none;
  return call_on(self, l_list);
}

static PyMethodDef array_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))array_dlpack,
     METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule of it. What is on the host or on a GPU is shared."},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
     "Where it is lent: (2, 0) is the first GPU, (1, 0) the CPU."},
    {"__array__", (PyCFunction)(void (*)(void))array_numpy,
     METH_VARARGS | METH_KEYWORDS, "A NumPy array of it."},
    {"tolist", array_tolist, METH_NOARGS, "Its elements as lists."},
    {0},
};

static PyGetSetDef array_properties[] = {
    {"shape", array_shape, NULL, "The sizes of its axes.", NULL},
    {"dtype", array_dtype, NULL, "The name of its type: \"float32\".", NULL},
    {"ndim", array_ndim, NULL, "How many axes it has.", NULL},
    {"size", array_size, NULL, "How many elements it has.", NULL},
    {"device", array_device, NULL, "\"host\", \"virtual:0\", \"cuda:0\".",
     NULL},
    {"__array_interface__", array_interface, NULL,
     "NumPy's array interface: a host array's memory.", NULL},
    {"__cuda_array_interface__", array_cuda_interface, NULL,
     "The CUDA array interface: memory of a GPU.", NULL},
    {0},
};

static PyType_Slot array_slots[] = {
    {Py_tp_doc, (void *)"An array of warpshop's. numpy.asarray(x), "
                        "torch.from_dlpack(x) share a host array's memory."},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_repr, array_repr},
    {Py_tp_methods, array_methods},
    {Py_tp_getset, array_properties},
    {Py_mp_length, array_length},
    {0, NULL},
};

static PyType_Spec array_spec = {
    .name = "warpshop.Array",
    .basicsize = sizeof(struct shop_array),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = array_slots,
};

bool array_add(PyObject *module) {
  array_type = (PyTypeObject *)PyType_FromSpec(&array_spec);
  return array_type && !PyModule_AddType(module, array_type);
}
