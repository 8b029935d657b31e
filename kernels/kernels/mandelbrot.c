// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/mandelbrot: how many rounds of z = z z + c stay
// within 2, up to the limit. In double, and compared as a float would be:
// the inputs are such that neither rounds.
#include "kernels/reference/call.h"

static int32_t rounds_of(double cx, double cy, int64_t limit) {
  double x = 0, y = 0;
  for (int64_t k = 0; k < limit; k++) {
    if (x * x + y * y > 4)
      return (int32_t)k;
    double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return (int32_t)limit;
}

void reference_mandelbrot(const struct reference_call *call) {
  int64_t width = reference_int(call, 1), height = reference_int(call, 2);
  double left = reference_float(call, 3), top = reference_float(call, 4);
  double size = reference_float(call, 5);
  int64_t limit = reference_int(call, 6);
  int32_t *out = reference_i32(call, 0, width * height);
  if (!out)
    return;
  for (int64_t row = 0; row < height; row++)
    for (int64_t column = 0; column < width; column++)
      out[row * width + column] = rounds_of(left + (double)column * size,
                                            top + (double)row * size, limit);
}
