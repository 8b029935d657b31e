// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/beat-the-compiler: of each row of n the largest
// element less the smallest, one IEEE subtraction.
#include <math.h>

#include "kernels/reference/call.h"

void reference_beat_the_compiler(const struct reference_call *call) {
  int64_t rows = reference_count(call, 1), n = reference_int(call, 2);
  const float *x = reference_f32(call, 0, rows * n);
  float *out = reference_f32(call, 1, rows);
  if (!x)
    return;
  for (int64_t r = 0; r < rows; r++) {
    float most = -INFINITY, least = INFINITY;
    for (int64_t i = r * n; i < (r + 1) * n; i++) {
      most = x[i] > most ? x[i] : most;
      least = x[i] < least ? x[i] : least;
    }
    out[r] = most - least;
  }
}
