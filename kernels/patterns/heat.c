// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/heat: a cell goes a quarter of the way to the
// mean of its four neighbours; those at the edge stay. In double, rounded
// once: the inputs are such that a float holds every sum.
#include "kernels/reference/call.h"

void reference_heat(const struct reference_call *call) {
  int64_t rows = reference_int(call, 2), columns = reference_int(call, 3);
  const float *x = reference_f32(call, 0, rows * columns);
  float *out = reference_f32(call, 1, rows * columns);
  if (!x || !out)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) {
      int64_t i = r * columns + c;
      double value = x[i];
      if (r > 0 && r < rows - 1 && c > 0 && c < columns - 1) {
        double sum =
            (double)x[i - 1] + x[i + 1] + x[i - columns] + x[i + columns];
        value += (sum / 4 - value) / 4;
      }
      out[i] = (float)value;
    }
}
