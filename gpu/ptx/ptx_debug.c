// SPDX-License-Identifier: Apache-2.0
// What is asked of a source's types and functions.
#include "gpu/ptx/ptx_debug.h"

#include <stddef.h>

enum { MAX_HOPS = 64 }; // of types that name each other

const struct ptx_dtype *ptx_dtype_plain(const struct ptx_dtype *t) {
  for (int hops = 0; t && t->kind == PTX_D_ALIAS; hops++)
    t = hops < MAX_HOPS ? t->inner : NULL;
  return t;
}

uint64_t ptx_dtype_bytes(const struct ptx_dtype *t) {
  uint64_t count = 1;
  for (int hops = 0; hops < MAX_HOPS && (t = ptx_dtype_plain(t)); hops++) {
    if (t->kind == PTX_D_POINTER || t->kind == PTX_D_REFERENCE)
      return count * 8;
    uint64_t own = t->kind == PTX_D_ARRAY ? 0 : t->bytes;
    if (t->kind != PTX_D_ARRAY)
      return __builtin_mul_overflow(count, own, &count) ? 0 : count;
    if (__builtin_mul_overflow(count, t->count, &count))
      return 0;
    t = t->inner;
  }
  return 0;
}

const struct ptx_dfunc *ptx_debug_func(const struct ptx_debug *d,
                                       const struct ptx_func *f) {
  for (int i = 0; d && i < d->func_count; i++)
    if (d->funcs[i].func == f)
      return &d->funcs[i];
  return NULL;
}
