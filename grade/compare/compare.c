// SPDX-License-Identifier: Apache-2.0
// Comparing results with the reference.
#include "grade/compare/compare.h"

#include <math.h>
#include <string.h>

// ---- One element ----

static uint64_t load_bits(enum dtype t, const void *data, size_t i) {
  uint64_t bits = 0;
  size_t width = dtype_bytes(t);
  memcpy(&bits, (const char *)data + i * width, width); // little endian
  return bits;
}

double compare_element(enum dtype t, const void *data, size_t i) {
  uint64_t bits = load_bits(t, data, i);
  uint32_t word = (uint32_t)bits;
  float f;
  double d;
  switch (t) {
  case DTYPE_F16: return dtype_f16_to_float((uint16_t)bits);
  case DTYPE_BF16: return dtype_bf16_to_float((uint16_t)bits);
  case DTYPE_F32: memcpy(&f, &word, sizeof f); return f;
  case DTYPE_F64: memcpy(&d, &bits, sizeof d); return d;
  case DTYPE_I8: return (int8_t)bits;
  case DTYPE_I16: return (int16_t)bits;
  case DTYPE_I32: return (int32_t)bits;
  case DTYPE_I64: return (double)(int64_t)bits;
  default: return (double)bits;
  }
}

// Maps a float's bits to an integer that grows by one from float to float;
// both zeros become 0.
static int64_t ordered(enum dtype t, uint64_t bits) {
  int width = 8 * (int)dtype_bytes(t);
  uint64_t sign = (uint64_t)1 << (width - 1);
  int64_t magnitude = (int64_t)(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

// Floats between two values of a float type; INT64_MAX when one is NaN or
// just one is infinite.
static int64_t ulps_between(enum dtype t, const void *a, const void *b) {
  double x = compare_element(t, a, 0), y = compare_element(t, b, 0);
  if (isnan(x) || isnan(y) || (isinf(x) != isinf(y)))
    return INT64_MAX;
  int64_t p = ordered(t, load_bits(t, a, 0)),
          q = ordered(t, load_bits(t, b, 0));
  uint64_t distance =
      p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p;
  return distance > INT64_MAX ? INT64_MAX : (int64_t)distance;
}

struct difference {
  bool is_right;
  double abs_err;
  int64_t ulp;
};

static struct difference compare_floats(enum dtype t, const void *got,
                                        const void *want,
                                        const struct tolerance *tol) {
  double g = compare_element(t, got, 0), w = compare_element(t, want, 0);
  if (isnan(g) && isnan(w) && tol->allow_nan)
    return (struct difference){true, 0, 0};
  if (isnan(g) || isnan(w))
    return (struct difference){false, NAN, INT64_MAX};
  if (isinf(g) || isinf(w))
    return g == w ? (struct difference){true, 0, 0}
                  : (struct difference){false, NAN, INT64_MAX};
  struct difference d = {.abs_err = fabs(g - w),
                         .ulp = ulps_between(t, got, want)};
  d.is_right = d.ulp <= tol->ulp || d.abs_err <= tol->abs + tol->rel * fabs(w);
  if (tol->signed_zero && g == 0 && w == 0)
    d.is_right = signbit(g) == signbit(w);
  return d;
}

static struct difference compare_one(enum dtype t, const void *got,
                                     const void *want,
                                     const struct tolerance *tol) {
  if (dtype_kind(t) == 'f')
    return compare_floats(t, got, want, tol);
  bool is_right = load_bits(t, got, 0) == load_bits(t, want, 0);
  double away = fabs(compare_element(t, got, 0) - compare_element(t, want, 0));
  return (struct difference){is_right, away, 0};
}

// ---- Arrays ----

static bool has_nan(enum dtype t, const void *data, size_t count) {
  const float *f = data;
  const double *d = data;
  size_t nans = 0;
  if (t == DTYPE_F32)
    for (size_t i = 0; i < count; i++)
      nans += isnan(f[i]) != 0;
  else if (t == DTYPE_F64)
    for (size_t i = 0; i < count; i++)
      nans += isnan(d[i]) != 0;
  else
    for (size_t i = 0; i < count && dtype_kind(t) == 'f'; i++)
      nans += isnan(compare_element(t, data, i)) != 0;
  return nans != 0;
}

// Most results are the reference's, bit by bit.
static bool are_same(enum dtype t, const void *got, const void *want,
                     size_t count) {
  return !memcmp(got, want, count * dtype_bytes(t)) && !has_nan(t, got, count);
}

void compare_arrays(enum dtype t, const void *got, const void *want,
                    size_t count, const struct tolerance *tol,
                    struct comparison *out) {
  size_t width = dtype_bytes(t);
  memset(out, 0, sizeof *out);
  if (are_same(t, got, want, count))
    return;
  for (size_t i = 0; i < count; i++) {
    const char *g = (const char *)got + i * width;
    const char *w = (const char *)want + i * width;
    struct difference d = compare_one(t, g, w, tol);
    // Once NaN, always NaN: the comparison below is false then.
    if (!(d.abs_err <= out->max_abs_err))
      out->max_abs_err = isnan(out->max_abs_err) ? NAN : d.abs_err;
    if (d.ulp > out->max_ulp)
      out->max_ulp = d.ulp;
    if (d.is_right || out->wrong++)
      continue;
    out->first = i;
    out->got = compare_element(t, g, 0);
    out->want = compare_element(t, w, 0);
  }
}
