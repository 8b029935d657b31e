// SPDX-License-Identifier: Apache-2.0
// Our arrays for other libraries: DLPack's capsules and the array interfaces of NumPy
// and CUDA, all over the memory itself. What lends is the storage: it lives until the last that
// refers to it is gone, whether that is Lua, an Array or another library.
#include "python/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/mem.h"
#include "lua/bind/cuda/cuda.h"
#include "python/dlpack.h"
#include "python/link.h"

// What a capsule holds: one of both, with the sizes behind it.
struct lent {
  union {
    struct dl_managed plain;
    struct dl_versioned versioned;
  } u;
  struct storage *storage;
  struct mapping *mapping; // of a device array
  int64_t sizes[];         // shape, then strides
};

// From here on somebody else may write to the array's memory: that of a device until it
// is taken back.
static void note(const struct array *a) {
  if (array_is_device(a))
    device_storage_lend(device_storage_of(a->storage), !a->is_readonly);
  else
    a->storage->is_shared = true;
}

// By the consumer, on any thread.
static void give_back(struct lent *l) {
  link_take_back(l->mapping); // waits until the consumer's work is done
  shop_drop_storage(l->storage, l->mapping ? SHOP_LOAN : 0);
  free(l);
}

static void delete_plain(struct dl_managed *m) {
  give_back((struct lent *)m);
}

static void delete_versioned(struct dl_versioned *m) {
  give_back((struct lent *)m);
}

// A capsule that nobody took over.
static void forget(PyObject *capsule) {
  const char *name = PyCapsule_GetName(capsule);
  if (name && (!strcmp(name, DL_NAME) || !strcmp(name, DL_VERSIONED_NAME)))
    give_back(PyCapsule_GetPointer(capsule, name));
}

static uint8_t code_of(enum dtype t) {
  if (t == DTYPE_BF16)
    return DL_BFLOAT;
  switch (dtype_kind(t)) {
  case 'b': return DL_BOOL;
  case 'i': return DL_INT;
  case 'u': return DL_UINT;
  default: return DL_FLOAT;
  }
}

static void fill_tensor(struct dl_tensor *t, const struct array *a,
                        const struct mapping *m, int64_t *sizes) {
  int64_t element = (int64_t)dtype_bytes(a->dtype);
  for (int d = 0; d < a->ndim; d++) {
    sizes[d] = a->shape[d];
    sizes[a->ndim + d] = a->strides[d] / element;
  }
  *t = (struct dl_tensor){
      .data = m ? link_address(m, a) : array_data(a),
      .device = {m ? DL_CUDA : DL_CPU, m ? link_ordinal(m) : 0},
      .ndim = a->ndim,
      .dtype = {code_of(a->dtype), (uint8_t)(8 * element), 1},
      .shape = sizes,
      .strides = sizes + a->ndim,
  };
}

static void fill_versioned(struct lent *l, const struct array *a,
                           bool is_copied) {
  struct dl_versioned *v = &l->u.versioned;
  v->version.major = DL_MAJOR;
  v->version.minor = DL_MINOR;
  v->deleter = delete_versioned;
  v->flags = (a->is_readonly && !is_copied ? DL_IS_READ_ONLY : 0) |
             (is_copied ? DL_IS_COPIED : 0);
  fill_tensor(&v->tensor, a, l->mapping, l->sizes);
}

PyObject *lend_capsule(const struct array *a, struct lend how) {
  struct lent *l =
      xcalloc(1, sizeof *l + (size_t)(2 * a->ndim) * sizeof l->sizes[0]);
  l->storage = storage_ref(a->storage);
  l->mapping = how.mapping ? link_lend(how.mapping) : NULL;
  if (how.is_versioned) {
    fill_versioned(l, a, how.is_copied);
  } else {
    l->u.plain.deleter = delete_plain;
    fill_tensor(&l->u.plain.tensor, a, l->mapping, l->sizes);
  }
  note(a);
  PyObject *capsule =
      PyCapsule_New(l, how.is_versioned ? DL_VERSIONED_NAME : DL_NAME, forget);
  if (!capsule)
    give_back(l);
  return capsule;
}

PyObject *lend_device(const struct mapping *m) {
  return Py_BuildValue("(ii)", m ? DL_CUDA : DL_CPU, m ? link_ordinal(m) : 0);
}

// ---- The array interfaces ----

PyObject *lend_sizes(const int64_t *sizes, int ndim) {
  PyObject *all = PyTuple_New(ndim);
  for (int d = 0; all && d < ndim; d++)
    if (PyTuple_SetItem(all, d, PyLong_FromLongLong(sizes[d])))
      Py_CLEAR(all);
  return all;
}

// Of a device array, no stream has to be waited for. Its loan is the caller's.
PyObject *lend_interface(const struct array *a, const struct mapping *m) {
  char type[8];
  size_t bytes = dtype_bytes(a->dtype);
  snprintf(type, sizeof type, "%c%c%zu", bytes == 1 ? '|' : '<',
           dtype_kind(a->dtype), bytes);
  if (!m)
    note(a);
  return Py_BuildValue(
      "{s:i,s:s,s:N,s:N,s:(NO)}", "version", 3, "typestr", type, "shape",
      lend_sizes(a->shape, a->ndim), "strides", lend_sizes(a->strides, a->ndim),
      "data", PyLong_FromVoidPtr(m ? link_address(m, a) : array_data(a)),
      a->is_readonly ? Py_True : Py_False);
}
