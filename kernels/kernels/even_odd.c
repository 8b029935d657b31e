// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/even-odd: forty rounds of one recipe for the
// even elements and of another for the odd ones, modulo 2^32.
#include "kernels/reference/call.h"

void reference_even_odd(const struct reference_call *call) {
  enum { ROUNDS = 40 };
  int64_t n = reference_int(call, 1);
  uint32_t *a = reference_u32(call, 0, n);
  if (!a)
    return;
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < ROUNDS; k++)
      a[i] = i % 2 ? (a[i] ^ a[i] >> 7) + 3 : a[i] * 5 + 1;
}
