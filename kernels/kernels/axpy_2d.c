// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/axpy-2d: y becomes a x + y in each row; what
// lies between the columns and the pitch stays. The product of two floats is
// exact in double; the sum is rounded there and then to float, which is what
// one rounding gives wherever it needs no more than 53 bits, as for the
// inputs here.
#include "kernels/reference/call.h"

void reference_axpy_2d(const struct reference_call *call) {
  float a = reference_float(call, 0);
  int64_t rows = reference_int(call, 3), columns = reference_int(call, 4);
  int64_t pitch = reference_int(call, 5);
  if (pitch < columns)
    reference_fail(call, "the pitch is below the number of columns");
  const float *x = reference_f32(call, 1, rows * pitch);
  float *y = reference_f32(call, 2, rows * pitch);
  if (!x || !y || pitch < columns)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t i = r * pitch; i < r * pitch + columns; i++)
      y[i] = (float)((double)a * x[i] + y[i]);
}
