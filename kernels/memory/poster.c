// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/poster: for each pixel the number of limits that are
// not above it, in a picture with rows and columns exchanged, and how often each
// number occurs, on top of what the tally holds. Comparisons of floats and whole
// numbers: nothing is rounded.
#include "kernels/reference/call.h"

enum { LIMITS = 7, TONES = LIMITS + 1 };

static int tone_of(const float *limits, float x) {
  int tone = 0;
  for (int j = 0; j < LIMITS; j++)
    tone += limits[j] <= x;
  return tone;
}

void reference_poster(const struct reference_call *call) {
  int64_t rows = reference_int(call, 4), columns = reference_int(call, 5);
  const float *limits = reference_f32(call, 0, LIMITS);
  const float *in = reference_f32(call, 1, rows * columns);
  int32_t *tones = reference_i32(call, 2, rows * columns);
  int32_t *tally = reference_i32(call, 3, TONES);
  if (!limits || !in || !tones || !tally)
    return;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) {
      int tone = tone_of(limits, in[r * columns + c]);
      tones[c * rows + r] = tone;
      tally[tone]++;
    }
}
