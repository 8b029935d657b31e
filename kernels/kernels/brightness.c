// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/brightness: a number is added to each pixel,
// and the sum kept within 0 and 255. What lies between the width and the
// pitch stays.
#include "kernels/reference/call.h"

void reference_brightness(const struct reference_call *call) {
  int64_t width = reference_int(call, 1), height = reference_int(call, 2);
  int64_t pitch = reference_int(call, 3), by = reference_int(call, 4);
  if (pitch < width)
    reference_fail(call, "the pitch is below the width");
  uint8_t *picture = reference_u8(call, 0, height * pitch);
  if (!picture || pitch < width)
    return;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      int64_t v = picture[y * pitch + x] + by;
      picture[y * pitch + x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}
