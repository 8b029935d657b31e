// SPDX-License-Identifier: Apache-2.0
// Other libraries' arrays in a GPU's memory: copied to the host, in their own context
// and by the driver that they have loaded. (CUDA driver API: "Primary Context
// Management", "Memory Management"; Numba: "CUDA Array Interface (Version 3)".)
#include "python/gpu.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "python/driver.h"
#include "python/link.h"

// In the device's context: whatever stream their work is on, it is done first.
static int copy_in_context(const struct driver *d, void *to, const void *from,
                           size_t bytes) {
  int status = d->synchronize();
  return status ? status : d->copy_out(to, (uintptr_t)from, bytes);
}

static int copy_out(const struct driver *d, void *to, const void *from,
                    size_t bytes, int ordinal) {
  int device;
  void *context;
  int status = d->device_get(&device, ordinal);
  if (!status)
    status = d->context_retain(&context, device);
  if (status)
    return status;
  status = d->push(context);
  if (!status) {
    status = copy_in_context(d, to, from, bytes);
    d->pop(&context);
  }
  d->context_release(device);
  return status;
}

bool gpu_copy_out(void *to, const void *from, size_t bytes, int device,
                  char *why, size_t why_bytes) {
  const struct driver *d = driver_open();
  if (!d) {
    snprintf(why, why_bytes,
             "this array is in a GPU's memory, and this process has loaded no "
             "driver of NVIDIA's that could read it");
    return false;
  }
  PyThreadState *save = PyEval_SaveThread();
  int status = copy_out(d, to, from, bytes, device);
  PyEval_RestoreThread(save);
  if (status)
    snprintf(why, why_bytes,
             "this array is in the memory of cuda:%d, and the driver cannot "
             "copy it to the host (error %d)",
             device, status);
  return !status;
}

// ---- The CUDA array interface ----

static void read_type(lua_State *L, PyObject *told, struct view *v) {
  PyObject *type = PyDict_GetItemString(told, "typestr"); // borrowed
  const char *text = type && PyUnicode_Check(type)
                         ? PyUnicode_AsUTF8AndSize(type, NULL)
                         : NULL;
  unsigned bytes = 0;
  char order = 0, kind = 0;
  if (text && sscanf(text, "%c%c%u", &order, &kind, &bytes) == 3 &&
      (order == '<' || order == '|'))
    v->dtype = dtype_of_kind(kind, bytes);
  else
    v->dtype = DTYPE_COUNT;
  if (v->dtype == DTYPE_COUNT)
    borrow_fail(L, PyExc_TypeError,
                "warpshop has no such type of elements: it has bool, int8 to "
                "int64, uint8 to uint64, float16, float32, float64");
}

// Strides come in bytes, None where the array is C-contiguous.
static void read_sizes(lua_State *L, PyObject *told, struct view *v) {
  PyObject *shape = PyDict_GetItemString(told, "shape");
  PyObject *strides = PyDict_GetItemString(told, "strides");
  int64_t bytes = (int64_t)dtype_bytes(v->dtype), step = 1;
  if (!shape || !PyTuple_Check(shape) || PyTuple_Size(shape) > ARRAY_MAX_DIMS)
    borrow_fail(L, PyExc_ValueError,
                "its __cuda_array_interface__ has no shape of at most 16 axes");
  bool has_strides = strides && PyTuple_Check(strides) &&
                     PyTuple_Size(strides) == PyTuple_Size(shape);
  v->ndim = (int)PyTuple_Size(shape);
  for (int d = v->ndim - 1; d >= 0; d--) {
    v->shape[d] = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
    v->strides[d] = has_strides
                        ? PyLong_AsLongLong(PyTuple_GetItem(strides, d)) / bytes
                        : step;
    step *= v->shape[d];
  }
  if (PyErr_Occurred())
    shop_fail(L);
}

// None: they need no order.
static void *read_stream(PyObject *told) {
  PyObject *stream = PyDict_GetItemString(told, "stream"); // borrowed
  long long n = stream && PyLong_Check(stream) ? PyLong_AsLongLong(stream) : 0;
  PyErr_Clear();
  return (void *)(intptr_t)(n > 0 ? n : LINK_DEFAULT_STREAM);
}

static void read_interface(lua_State *L, PyObject *told, struct view *v,
                           struct place *place) {
  PyObject *data = PyDict_GetItemString(told, "data");
  unsigned long long address = 0;
  int is_readonly = 0;
  const struct driver *d = driver_open();
  read_type(L, told, v);
  read_sizes(L, told, v);
  if (!data || !PyArg_ParseTuple(data, "Kp", &address, &is_readonly)) {
    PyErr_Clear();
    borrow_fail(L, PyExc_ValueError,
                "its __cuda_array_interface__ has no address");
  }
  v->first = (char *)(uintptr_t)address;
  v->is_readonly = is_readonly;
  *place = (struct place){0, read_stream(told)};
  if (address && d)
    d->of_pointer(&place->ordinal, DRIVER_ORDINAL_OF_POINTER, address);
}

bool gpu_read_interface(lua_State *L, PyObject *object, struct view *v,
                        struct place *place) {
  PyObject *told = PyObject_GetAttrString(object, "__cuda_array_interface__");
  if (!told) {
    PyErr_Clear();
    return false;
  }
  object_push(L, told); // so that it goes, whatever is raised
  if (!PyDict_Check(told))
    borrow_fail(L, PyExc_TypeError, "its __cuda_array_interface__ is no dict");
  read_interface(L, told, v, place);
  lua_pop(L, 1);
  return true;
}
