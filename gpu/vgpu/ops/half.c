// SPDX-License-Identifier: Apache-2.0
// Conversions between double and the two 16-bit formats, by their bits.
#include "gpu/vgpu/ops/half.h"

#include <math.h>
#include <string.h>

#include "gpu/ptx/ptx.h"

// Bits of the fraction, and the exponent of the smallest normal number.
static const struct {
  int fraction, min_exponent, max_exponent;
} shapes[] = {{10, -14, 15}, {7, -126, 127}};

double vg_half_to_double(uint16_t h, enum vg_half kind) {
  if (kind == VG_BF16) {
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
  }
  return vg_f16_to_double(h);
}

// `steps` is a positive number of units in the last place; rounds it whole.
static double round_steps(double steps, bool is_negative, int round) {
  double low = floor(steps), rest = steps - low;
  if (rest == 0)
    return low;
  switch (round) {
  case PTX_RZ: return low;
  case PTX_RM: return is_negative ? low + 1 : low;
  case PTX_RP: return is_negative ? low : low + 1;
  case PTX_RNA: return rest >= 0.5 ? low + 1 : low;
  default:
    if (rest != 0.5)
      return rest > 0.5 ? low + 1 : low;
    return fmod(low, 2) == 0 ? low : low + 1;
  }
}

uint16_t vg_half_from_double(double x, enum vg_half kind, int round) {
  int fraction = shapes[kind].fraction, min = shapes[kind].min_exponent;
  uint16_t infinity =
      (uint16_t)((shapes[kind].max_exponent * 2 + 1) << fraction);
  if (x != x)
    return 0x7FFF;
  bool is_negative = signbit(x);
  uint16_t sign = is_negative ? 0x8000 : 0;
  double a = fabs(x);
  if (a == 0)
    return sign;
  if (isinf(a))
    return sign | infinity;
  int e;
  frexp(a, &e); // a is in [2^(e-1), 2^e)
  int unit = (e - 1 < min ? min : e - 1) - fraction;
  double steps = round_steps(ldexp(a, -unit), is_negative, round);
  // Counting steps from the bottom of its binade gives the bits, carries and
  // all: the encoding is monotone.
  int binade = unit + fraction - min; // 0 for subnormals and the first
  uint32_t bits = (uint32_t)steps + ((uint32_t)binade << fraction);
  if (bits < infinity)
    return (uint16_t)(sign | bits);
  bool to_largest = round == PTX_RZ || (round == PTX_RM && !is_negative) ||
                    (round == PTX_RP && is_negative);
  return (uint16_t)(sign | (to_largest ? infinity - 1 : infinity));
}

double vg_fma_sticky(double x, double y, double z) {
  // Products of 16-bit values are exact in a double; the sum may not be. The
  // error term (Knuth's two-sum) says whether and which way.
  double p = x * y, s = p + z;
  if (!isfinite(s))
    return s;
  double b = s - p, err = (p - (s - b)) + (z - b);
  uint64_t bits;
  memcpy(&bits, &s, sizeof bits);
  if (err != 0 && !(bits & 1)) {
    // Truncate towards the exact value, then set the last bit.
    if ((err > 0) != (s > 0))
      bits--;
    bits |= 1;
    memcpy(&s, &bits, sizeof s);
  }
  return s;
}

uint16_t vg_half_add(uint16_t x, uint16_t y, enum vg_half kind) {
  double s =
      vg_fma_sticky(vg_half_to_double(x, kind), 1, vg_half_to_double(y, kind));
  return vg_half_from_double(s, kind, PTX_RN);
}
