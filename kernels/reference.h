// SPDX-License-Identifier: Apache-2.0
// The built-in kernels that have a CPU reference under the same name: NAME.cu
// is what a GPU runs, NAME.c is what it must compute. The rows are in
// kernels/kernels.def.
#ifndef KERNELS_REFERENCE_H
#define KERNELS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

// One argument of a launch: an array (`data`, `count` elements of the type
// that the kernel's signature says) or a number, which is given both ways.
struct reference_arg {
  void *data; // NULL for a number
  size_t count;
  int64_t integer;
  double number;
};

struct reference_call {
  const struct reference_arg *args;
  uint32_t grid[3];
  uint32_t block[3];
};

struct reference {
  const char *name;      // "vector_add": also the file names
  const char *entry;     // "add": the kernel in NAME.cu
  const char *signature; // the types of its arguments, one a comma
  // Computes on the host what the launch computes, in place.
  void (*compute)(const struct reference_call *call);
};

// The kernel of that name, or NULL.
const struct reference *reference_find(const char *name);
// Row `i` of the table, or NULL behind the last one.
const struct reference *reference_at(int i);

#define KERNEL(name, entry, signature)                                         \
  void reference_##name(const struct reference_call *call);
#include "kernels/kernels.def"
#undef KERNEL

#endif
