// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/darts: how many of n darts hit the quarter of a
// circle, on top of what is counted. Where a dart lands is the hash of its
// number: whole numbers of 15 bits.
#include "kernels/reference/call.h"

static uint32_t mix(uint32_t v) {
  v = (v ^ v >> 16) * 0x85ebca6b;
  v = (v ^ v >> 13) * 0xc2b2ae35;
  return v ^ v >> 16;
}

void reference_darts(const struct reference_call *call) {
  int64_t n = reference_int(call, 1);
  uint32_t seed = (uint32_t)reference_int(call, 2);
  int32_t *hits = reference_i32(call, 0, 1);
  if (!hits)
    return;
  for (uint32_t d = 0; d < n; d++) {
    uint32_t x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;
    *hits += x * x + y * y < 1u << 30;
  }
}
