// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/soa: four numbers a pixel become four planes.
// Values are moved, not computed.
#include "kernels/reference/call.h"

void reference_soa(const struct reference_call *call) {
  int64_t n = reference_int(call, 2);
  const float *pixels = reference_f32(call, 0, 4 * n);
  float *planes = reference_f32(call, 1, 4 * n);
  if (!pixels || !planes)
    return;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < 4; k++)
      planes[k * n + i] = pixels[4 * i + k];
}
