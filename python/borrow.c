// SPDX-License-Identifier: Apache-2.0
// Other libraries' arrays for us, by DLPack: an array of ours over their memory, which
// they get back when the last array of it is gone. What is on the CPU, in plain order
// or in any other without gaps, is not copied; of a view with gaps there is a copy, for
// a kernel's writes would reach what lies between.
#include "python/borrow.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/mem.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/state/bind.h"
#include "python/dlpack.h"
#include "python/gpu.h"
#include "python/link.h"

// What a capsule held.
struct loan {
  struct dl_versioned *versioned; // or NULL:
  struct dl_managed *plain;       // or NULL:
  PyObject *owner;                // whose memory it is
};

// The other library's, which may want Python's lock.
static void give_back(void *context) {
  struct loan *l = context;
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    if (l->versioned && l->versioned->deleter)
      l->versioned->deleter(l->versioned);
    if (l->plain && l->plain->deleter)
      l->plain->deleter(l->plain);
    Py_XDECREF(l->owner);
    PyGILState_Release(state);
  }
  free(l);
}

// ---- What is in it ----

static enum dtype dtype_of(const struct dl_tensor *t) {
  static const char kinds[] = {
      [DL_INT] = 'i', [DL_UINT] = 'u', [DL_FLOAT] = 'f', [DL_BOOL] = 'b'};
  if (t->dtype.lanes != 1)
    return DTYPE_COUNT;
  if (t->dtype.code == DL_BFLOAT)
    return t->dtype.bits == 16 ? DTYPE_BF16 : DTYPE_COUNT;
  char kind = t->dtype.code < sizeof kinds ? kinds[t->dtype.code] : 0;
  return t->dtype.bits % 8 ? DTYPE_COUNT
                           : dtype_of_kind(kind, t->dtype.bits / 8);
}

void borrow_fail(lua_State *L, PyObject *type, const char *text) {
  PyErr_SetString(type, text);
  shop_fail(L);
}

// No gaps, and no element twice: by their strides, axes are a plain array's.
static bool is_dense(const struct view *v) {
  bool is_done[ARRAY_MAX_DIMS] = {false};
  for (int64_t step = 1;;) {
    int next = -1;
    for (int d = 0; d < v->ndim; d++)
      if (!is_done[d] && v->shape[d] != 1 &&
          (next < 0 || llabs(v->strides[d]) < llabs(v->strides[next])))
        next = d;
    if (next < 0)
      return true;
    if (llabs(v->strides[next]) != step)
      return false;
    step *= v->shape[next];
    is_done[next] = true;
  }
}

static int64_t count_of(const struct view *v) {
  int64_t n = 1;
  for (int d = 0; d < v->ndim; d++)
    n *= v->shape[d];
  return n;
}

static void find_ends(struct view *v) {
  int64_t element = (int64_t)dtype_bytes(v->dtype), low = 0, high = 0;
  for (int d = 0; d < v->ndim; d++) {
    int64_t reach = (v->shape[d] - 1) * v->strides[d] * element;
    *(reach < 0 ? &low : &high) += reach;
  }
  v->low = v->first + low;
  v->bytes = (size_t)(high - low + element);
  v->is_dense = is_dense(v);
}

static void read_sizes(lua_State *L, const struct dl_tensor *t,
                       struct view *v) {
  if (t->ndim < 0 || t->ndim > ARRAY_MAX_DIMS)
    borrow_fail(L, PyExc_ValueError,
                "an array of warpshop's has at most 16 axes");
  v->ndim = t->ndim;
  int64_t step = 1;
  for (int d = v->ndim - 1; d >= 0; d--) {
    v->shape[d] = t->shape[d];
    v->strides[d] = t->strides ? t->strides[d] : step;
    step *= t->shape[d];
  }
}

static void read_tensor(lua_State *L, const struct dl_tensor *t,
                        struct view *v) {
  v->dtype = dtype_of(t);
  int where = t->device.type;
  if (where != DL_CPU && where != DL_CUDA_HOST && where != DL_CUDA)
    borrow_fail(L, PyExc_BufferError,
                "this array is on a device that is neither the CPU nor one of "
                "NVIDIA's GPUs: hand over a copy of it on the CPU");
  if (v->dtype == DTYPE_COUNT)
    borrow_fail(
        L, PyExc_TypeError,
        "warpshop has no such type of elements: it has bool, int8 to int64, "
        "uint8 to uint64, float16, bfloat16, float32, float64");
  read_sizes(L, t, v);
  v->first = (char *)t->data + t->byte_offset;
  if ((uintptr_t)v->first % dtype_bytes(v->dtype) && count_of(v))
    borrow_fail(
        L, PyExc_BufferError,
        "the elements of this array do not lie where their type wants them: "
        "hand over a copy");
  if (count_of(v))
    find_ends(v);
}

// ---- The capsule ----

static bool is_on_gpu(PyObject *object) {
  PyObject *where = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  int type = DL_CPU, id;
  if (where && PyTuple_Check(where) &&
      !PyArg_ParseTuple(where, "ii", &type, &id))
    type = DL_CPU;
  Py_XDECREF(where);
  PyErr_Clear();
  return type == DL_CUDA;
}

static PyObject *call_named(PyObject *function, PyObject *named) {
  PyObject *none = PyTuple_New(0);
  PyObject *result =
      none && named ? PyObject_Call(function, none, named) : NULL;
  Py_XDECREF(none);
  Py_XDECREF(named);
  return result;
}

// On a GPU, what they have queued comes before what is then put on the default stream.
// An older one knows less.
static PyObject *ask_for_capsule(PyObject *ask, bool on_gpu) {
  PyObject *stream =
      on_gpu ? PyLong_FromLong(LINK_DEFAULT_STREAM) : Py_NewRef(Py_None);
  PyObject *capsule = call_named(
      ask, Py_BuildValue(on_gpu ? "{s:(ii),s:O}" : "{s:(ii)}", "max_version",
                         DL_MAJOR, DL_MINOR, "stream", stream));
  if (!capsule && on_gpu && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = call_named(ask, Py_BuildValue("{s:O}", "stream", stream));
  }
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = PyObject_CallObject(ask, NULL);
  }
  Py_XDECREF(stream);
  return capsule;
}

// Pushes the capsule that the object gives, or that it is. False: it is and has none.
static bool push_capsule(lua_State *L, PyObject *object) {
  if (PyObject_TypeCheck(object, &PyCapsule_Type)) {
    object_push(L, Py_NewRef(object));
    return true;
  }
  PyObject *ask = PyObject_GetAttrString(object, "__dlpack__");
  if (!ask) {
    PyErr_Clear();
    return false;
  }
  PyObject *capsule = ask_for_capsule(ask, is_on_gpu(object));
  Py_DECREF(ask);
  if (!capsule)
    shop_fail(L);
  object_push(L, capsule);
  return true;
}

static const struct dl_tensor *open_capsule(lua_State *L, PyObject *capsule,
                                            struct loan *l) {
  *l = (struct loan){0};
  if (PyCapsule_IsValid(capsule, DL_VERSIONED_NAME)) {
    l->versioned = PyCapsule_GetPointer(capsule, DL_VERSIONED_NAME);
    if (l->versioned->version.major > DL_MAJOR)
      borrow_fail(L, PyExc_BufferError,
                  "this array comes by a DLPack newer than 1");
    return &l->versioned->tensor;
  }
  if (!PyCapsule_IsValid(capsule, DL_NAME))
    borrow_fail(
        L, PyExc_ValueError,
        "this is no DLPack capsule, or one that was taken over before: each "
        "is good for one array");
  l->plain = PyCapsule_GetPointer(capsule, DL_NAME);
  return &l->plain->tensor;
}

// JAX's arrays never change, whatever its capsules say.
static bool is_of_jax(PyObject *object) {
  PyObject *module =
      PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__module__");
  const char *name = module && PyUnicode_Check(module)
                         ? PyUnicode_AsUTF8AndSize(module, NULL)
                         : NULL;
  bool is_jax = name && !strncmp(name, "jax", 3);
  Py_XDECREF(module);
  PyErr_Clear();
  return is_jax;
}

// ---- The array ----

// From here on the loan is ours: the storage gives it back.
static struct storage *take_over(PyObject *capsule, const struct loan *l,
                                 const struct view *v) {
  struct loan *kept = xmalloc(sizeof *kept);
  *kept = *l;
  PyCapsule_SetName(capsule, l->versioned ? DL_VERSIONED_USED : DL_USED);
  return storage_of_others(v->low, v->bytes, give_back, kept);
}

static void push_view(lua_State *L, struct storage *s, const struct view *v) {
  int64_t strides[ARRAY_MAX_DIMS];
  for (int d = 0; d < v->ndim; d++)
    strides[d] = v->strides[d] * (int64_t)dtype_bytes(v->dtype);
  struct array *a = array_push_view(L, s, v->dtype, v->ndim, v->shape, strides);
  storage_unref(s); // the array holds its own
  a->offset = (size_t)(v->first - v->low);
  a->is_readonly = v->is_readonly;
}

// [original] -> [], which goes back at once
static void give_up_original(lua_State *L) {
  lua_pushcfunction(L, array_release);
  lua_insert(L, -2);
  lua_call(L, 1, 0);
}

// [view] -> [its copy]
static void copy_view(lua_State *L) {
  const struct array *a = array_test(L, -1);
  array_push_copy(L, a, a->dtype);
  lua_insert(L, -2);
  give_up_original(L);
}

static void push_shared(lua_State *L, PyObject *capsule, const struct loan *l,
                        const struct view *v) {
  static bool was_said;
  push_view(L, take_over(capsule, l, v), v);
  if (v->is_dense)
    return;
  shop_count_copied((uint64_t)count_of(v) * dtype_bytes(v->dtype));
  if (!shop_warn_copy(&was_said,
                      "a view with gaps was copied: what Lua writes to it does "
                      "not reach the original"))
    shop_fail(L);
  copy_view(L);
}

// In the server of its device, where it lies: an array there. False: it cannot be.
static bool push_adopted(lua_State *L, struct storage *loan,
                         const struct view *v, const struct place *p) {
  struct device_storage *ds =
      link_adopt(L, p->ordinal, v, p->stream, NULL, loan);
  if (ds)
    push_view(L, &ds->base, v);
  return ds != NULL;
}

// A copy on the host, in the same order.
static void push_from_gpu(lua_State *L, const struct view *v, int device) {
  static bool was_said;
  char text[200];
  int64_t bytes = (int64_t)v->bytes;
  struct array *host = array_push_host(L, DTYPE_U8, 1, &bytes);
  if (!gpu_copy_out(array_data(host), v->low, v->bytes, device, text,
                    sizeof text))
    borrow_fail(L, PyExc_BufferError, text);
  snprintf(text, sizeof text,
           "an array of cuda:%d was copied to the host: what Lua writes to it "
           "does not reach the original",
           device);
  shop_count_copied(v->bytes);
  if (!shop_warn_copy(&was_said, text))
    shop_fail(L);
  struct view copied = *v;
  copied.is_readonly = false;
  push_view(L, storage_ref(host->storage), &copied);
  lua_remove(L, -2); // the bytes
  if (!v->is_dense)
    copy_view(L);
}

static void push_gpu(lua_State *L, struct storage *loan, const struct view *v,
                     const struct place *p) {
  // The loan has an owner, whatever is raised.
  array_push_view(L, loan, DTYPE_U8, 0, NULL, NULL);
  storage_unref(loan);
  if (push_adopted(L, loan, v, p)) {
    lua_remove(L, -2);
    return;
  }
  push_from_gpu(L, v, p->ordinal);
  lua_insert(L, -2);
  give_up_original(L);
}

// Numba's arrays have no __dlpack__.
static bool push_interface(lua_State *L, PyObject *object) {
  struct view v = {0};
  struct place place;
  if (!gpu_read_interface(L, object, &v, &place))
    return false;
  if (!count_of(&v)) {
    array_push_host(L, v.dtype, v.ndim, v.shape);
    return true;
  }
  find_ends(&v);
  struct loan *l = xcalloc(1, sizeof *l);
  l->owner = Py_NewRef(object);
  push_gpu(L, storage_of_others(v.low, v.bytes, give_back, l), &v, &place);
  return true;
}

bool borrow_push(lua_State *L, PyObject *object) {
  struct loan l;
  struct view v = {0};
  luaL_checkstack(L, 10, NULL);
  if (!push_capsule(L, object))
    return push_interface(L, object);
  PyObject *capsule = object_test(L, -1);
  const struct dl_tensor *t = open_capsule(L, capsule, &l);
  read_tensor(L, t, &v);
  v.is_readonly = is_of_jax(object) ||
                  (l.versioned && (l.versioned->flags & DL_IS_READ_ONLY));
  if (!count_of(&v)) // no memory to share
    array_push_host(L, v.dtype, v.ndim, v.shape);
  else if (t->device.type == DL_CUDA)
    push_gpu(L, take_over(capsule, &l, &v), &v,
             &(struct place){t->device.id, (void *)LINK_DEFAULT_STREAM});
  else
    push_shared(L, capsule, &l, &v);
  lua_remove(L, -2); // the capsule
  return true;
}

// ---- In Lua ----

struct borrowing {
  PyObject *object;
  bool is_one;
};

static void push_borrowed(lua_State *L, void *context) {
  struct borrowing *b = context;
  b->is_one = borrow_push(L, b->object);
}

// Python's error as Lua's: whoever catches it there has seen it.
static int raise_in_lua(lua_State *L, const char *name) {
  PyObject *type, *value, *trace;
  char text[300];
  snprintf(text, sizeof text, "%s: the capsule cannot be used", name);
  PyErr_Fetch(&type, &value, &trace);
  PyObject *said = value ? PyObject_Str(value) : NULL;
  const char *why = said ? PyUnicode_AsUTF8AndSize(said, NULL) : NULL;
  if (why)
    snprintf(text, sizeof text, "%s: %s", name, why);
  Py_XDECREF(said);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Clear();
  lua_pushstring(L, text);
  return 1;
}

// np.from_dlpack(x): an array over the memory of a capsule of Python's.
static int l_from_dlpack(lua_State *L) {
  if (array_test(L, 1)) {
    lua_settop(L, 1);
    return 1;
  }
  struct borrowing b = {object_test(L, 1), false};
  if (!b.object)
    bind_error(L, ERR_ARGUMENT,
               "np.from_dlpack: argument 1 is %s, and a capsule is needed, "
               "which comes from Python: ws.set(\"x\", x) hands over the array "
               "itself",
               bind_value_text(L, 1));
  PyGILState_STATE state = PyGILState_Ensure();
  bool fine = shop_protect(L, push_borrowed, &b, 0, 1);
  if (!fine)
    raise_in_lua(L, "np.from_dlpack");
  PyGILState_Release(state);
  if (!fine)
    bind_error(L, ERR_ARGUMENT, "%s", lua_tostring(L, -1));
  return 1;
}

// A capsule of the array, in the place where it lies.
static void push_lent(lua_State *L, void *context) {
  const struct array *a = context;
  struct mapping *m = array_is_device(a) ? link_map(L, a) : NULL;
  object_push(L, NULL);
  PyObject **o = lua_touserdata(L, -1);
  if (m || !array_is_device(a))
    *o = lend_capsule(a, (struct lend){.is_versioned = true, .mapping = m});
  else
    PyErr_SetString(PyExc_BufferError,
                    "the memory of its device cannot be shared: "
                    "x:copy_to_host():to_dlpack() lends a copy");
  link_unmap(m); // the capsule has its own
  if (!*o)
    shop_fail(L);
}

// x:to_dlpack(): a capsule for Python.
static int l_to_dlpack(lua_State *L) {
  array_await(L, array_check(L, 1), true); // may raise: nothing is held yet
  struct mapping *m = link_map(L, array_check(L, 1));
  if (!m) {
    array_fetch_jax(L, 1); // a copy
    array_await(L, array_check(L, 1), true);
  }
  struct array same = *array_check(L, 1);
  PyGILState_STATE state = PyGILState_Ensure();
  bool fine = shop_protect(L, push_lent, &same, 0, 1);
  if (!fine)
    raise_in_lua(L, "to_dlpack");
  PyGILState_Release(state);
  link_unmap(m);
  if (!fine)
    bind_error(L, ERR_ARGUMENT, "%s", lua_tostring(L, -1));
  return 1;
}

void exchange_open(lua_State *L) {
  object_open(L);
  lua_getglobal(L, "np");
  lua_pushstring(L, "from_dlpack");
  lua_pushcfunction(L, l_from_dlpack);
  lua_rawset(L, -3);
  array_push_methods(L);
  lua_pushcfunction(L, l_to_dlpack);
  lua_setfield(L, -2, "to_dlpack");
  lua_pop(L, 2);
}
