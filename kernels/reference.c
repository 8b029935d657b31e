// SPDX-License-Identifier: Apache-2.0
// The tables of references.
#include "kernels/reference.h"

#include <string.h>

static const struct reference rows[] = {
#define KERNEL(name, entry, signature)                                         \
  {#name, entry, signature, reference_##name},
#include "kernels/kernels.def"
#undef KERNEL
#define REFERENCE(part, name, signature)                                       \
  {#name, NULL, signature, reference_##name},
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
