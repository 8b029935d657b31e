// SPDX-License-Identifier: Apache-2.0
// Other libraries' arrays in a GPU's memory.
#ifndef PYTHON_GPU_H
#define PYTHON_GPU_H

#include "python/borrow.h"

// Copies from the memory of a GPU, by the driver that Python's libraries have loaded,
// once all work of theirs on it is done. False: it cannot, which `why` says.
bool gpu_copy_out(void *to, const void *from, size_t bytes, int device,
                  char *why, size_t why_bytes);
// Reads __cuda_array_interface__. False: the object has none. In shop_protect.
bool gpu_read_interface(lua_State *L, PyObject *object, struct view *v,
                        struct place *place);

#endif
