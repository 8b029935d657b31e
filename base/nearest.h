// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest of some names to a word.
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
  const char *word;
  const char *name; // the nearest so far, NULL: none is near
  size_t bytes;     // of the name, which need not end there
  int distance;
};

// One edit counts as near in a short word, two from five letters on.
struct nearest nearest_to(const char *word);
void nearest_try(struct nearest *n, const char *name, size_t bytes);

#endif
