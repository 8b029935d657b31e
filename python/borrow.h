// SPDX-License-Identifier: Apache-2.0
// Another library's array as it was told to us, on its way to one of ours.
#ifndef PYTHON_BORROW_H
#define PYTHON_BORROW_H

#include "python/python.h"

struct view {
  enum dtype dtype;
  int ndim;
  int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS]; // in elements
  char *first, *low; // the first element, and that with the lowest address
  size_t bytes;      // from `low` on to the end of the last
  bool is_dense, is_readonly;
};

// Where theirs is on a GPU, and the stream that their work on it is on.
struct place {
  int ordinal;
  void *stream;
};

void borrow_fail(lua_State *L, PyObject *type, const char *text)
    __attribute__((noreturn));

#endif
