// SPDX-License-Identifier: Apache-2.0
// The CPU references: what a kernel must compute, as a plain loop. A row of
// reference/references.def is that of exercises, and lies in the room of their
// part of the course; one of kernels.def that of a built-in kernel, NAME.cu
// beside NAME.c.
#ifndef KERNELS_REFERENCE_H
#define KERNELS_REFERENCE_H

#include "kernels/reference/call.h"
#include "kernels/team.h"

// What a launch cannot do without: bytes from and to memory, operations of f32.
struct reference_work {
  double bytes, operations;
};

struct reference {
  const char *name;      // "vector_add": also the file's name
  const char *entry;     // "add": the kernel in NAME.cu; NULL: there is none
  const char *signature; // the types of its arguments, one a comma
  // Computes on the host what the kernels compute, in place. Where arguments do
  // not fit together call->e says so, and the results count for nothing.
  void (*compute)(const struct reference_call *call);
  // The same by the whole team (best.c), and its work; NULL where `entry` is.
  void (*best)(const struct reference_call *call, struct kernel_team *t);
  struct reference_work (*work)(const struct reference_call *call);
};

// The reference of that name, or NULL.
const struct reference *reference_find(const char *name);
// Row `i` of both tables, or NULL behind the last one.
const struct reference *reference_at(int i);

#define KERNEL(name, ...)                                                      \
  void reference_##name(const struct reference_call *call);                    \
  void best_##name(const struct reference_call *call, struct kernel_team *t);
#include "kernels/kernels.def"
#undef KERNEL

#endif
