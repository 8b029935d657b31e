// SPDX-License-Identifier: Apache-2.0
// Entry points of libFuzzer (which AFL++ takes as they are) and of AFL++'s
// mutator library; FUZZ_TARGET is the function to call.
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#ifdef FUZZ_TARGET
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FUZZ_TARGET(data, size);
  return 0;
}

#  ifndef FUZZ_AFL // it brings its own driver and the library below
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, max);
  return fuzz_mutate(data, size, max, NULL, 0, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max, unsigned seed) {
  size_t size = a_size < max ? a_size : max;
  memcpy(out, a, size);
  return fuzz_mutate(out, size, max, b, b_size, seed);
}
#  endif

#else // AFL++'s custom mutator library

struct mutator {
  unsigned seed;
  uint8_t *text;
  size_t room;
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *context, uint8_t *data, size_t size, uint8_t **out,
                       uint8_t *other, size_t other_size, size_t max);
void afl_custom_deinit(void *context);

void *afl_custom_init(void *afl, unsigned seed) {
  (void)afl;
  struct mutator *m = calloc(1, sizeof *m);
  if (m)
    m->seed = seed;
  return m;
}

size_t afl_custom_fuzz(void *context, uint8_t *data, size_t size, uint8_t **out,
                       uint8_t *other, size_t other_size, size_t max) {
  struct mutator *m = context;
  *out = data;
  if (m->room < max) {
    uint8_t *text = realloc(m->text, max);
    if (!text)
      return size;
    m->text = text;
    m->room = max;
  }
  size = size < max ? size : max;
  memcpy(m->text, data, size);
  *out = m->text;
  return fuzz_mutate(m->text, size, max, other, other_size, ++m->seed);
}

void afl_custom_deinit(void *context) {
  struct mutator *m = context;
  free(m->text);
  free(m);
}
#endif
