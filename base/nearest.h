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

// "; did you mean --gpu?": of the nearest name, what stands before it and behind it.
// "" where none is near. In a buffer of the caller's.
enum { NEAREST_HINT = 80 };
const char *nearest_hint(char out[NEAREST_HINT], const struct nearest *n,
                         const char *before, const char *behind);

#endif
