// SPDX-License-Identifier: Apache-2.0
// The tables of references.
#include "kernels/reference.h"

#include <string.h>

#define N(i)   ((double)reference_int(call, i))
#define BLOCKS ((double)call->grid[0])
#define KERNEL(name, entry, signature, bytes, operations)                      \
  static struct reference_work work_##name(                                    \
      const struct reference_call *call) {                                     \
    return (struct reference_work){bytes, operations};                         \
  }
#include "kernels/kernels.def"
#undef KERNEL
#undef BLOCKS
#undef N

static const struct reference rows[] = {
#define KERNEL(name, entry, signature, bytes, operations)                      \
  {#name, entry, signature, reference_##name, best_##name, work_##name},
#include "kernels/kernels.def"
#undef KERNEL
#define REFERENCE(part, name, signature)                                       \
  {#name, NULL, signature, reference_##name, NULL, NULL},
#include "kernels/reference/references.def"
#undef REFERENCE
};

const struct reference *reference_at(int i) {
  int count = sizeof rows / sizeof *rows;
  return i >= 0 && i < count ? &rows[i] : NULL;
}

const struct reference *reference_find(const char *name) {
  const struct reference *k;
  for (int i = 0; (k = reference_at(i)); i++)
    if (!strcmp(k->name, name))
      return k;
  return NULL;
}
