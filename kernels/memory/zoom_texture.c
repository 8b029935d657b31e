// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/zoom-texture: a picture four times as wide and
// high, mixed linearly between its cells' middles. In double: the exercise's
// bound is for a texture unit, which mixes in steps of 1/256.
#include <math.h>

#include "kernels/reference/call.h"

struct picture {
  const float *at;
  int64_t width, height;
};

// Beyond the edge it goes on as at the edge.
static double cell(const struct picture *p, int64_t x, int64_t y) {
  x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
  y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
  return p->at[y * p->width + x];
}

static double mix(const struct picture *p, double across, double down) {
  double left = floor(across), top = floor(down);
  double a = across - left, b = down - top;
  int64_t i = (int64_t)left, j = (int64_t)top;
  return (1 - b) * ((1 - a) * cell(p, i, j) + a * cell(p, i + 1, j)) +
         b * ((1 - a) * cell(p, i, j + 1) + a * cell(p, i + 1, j + 1));
}

void reference_zoom_texture(const struct reference_call *call) {
  int64_t width = reference_int(call, 2), height = reference_int(call, 3);
  struct picture p = {.width = width / 4, .height = height / 4};
  p.at = reference_f32(call, 0, p.width * p.height);
  float *out = reference_f32(call, 1, width * height);
  if (p.width < 1 || p.height < 1)
    reference_fail(call, "the picture has no cells");
  if (!p.at || !out || p.width < 1 || p.height < 1)
    return;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++)
      out[y * width + x] = (float)mix(&p, ((double)x + 0.5) / 4 - 0.5,
                                      ((double)y + 0.5) / 4 - 0.5);
}
