// SPDX-License-Identifier: Apache-2.0
// Conversion between element types: one loop per pair of types.
#include <string.h>

#include "kernels/width.h"

// A double that an integer type cannot hold becomes its nearest value; the
// bounds are powers of two, which every float type holds exactly.
#define SATURATE(S, T, low, above, max)                                        \
  static inline T saturate_##S(double v) {                                     \
    if (v != v)                                                                \
      return 0;                                                                \
    return v < (low) ? (T)(low) : v >= (above) ? (T)(max) : (T)v;              \
  }
// Those of up to 32 bits, whose bounds a double holds, without a branch.
#define CLAMP(S, T, low, high)                                                 \
  static inline T saturate_##S(double v) {                                     \
    double c = v > (low) ? v : (low);                                          \
    c = c < (high) ? c : (high);                                               \
    return v == v ? (T)c : (T)0;                                               \
  }
CLAMP(I8, int8_t, INT8_MIN, INT8_MAX)
CLAMP(I16, int16_t, INT16_MIN, INT16_MAX)
CLAMP(I32, int32_t, INT32_MIN, INT32_MAX)
SATURATE(I64, int64_t, -0x1p63, 0x1p63, INT64_MAX)
CLAMP(U8, uint8_t, 0, UINT8_MAX)
CLAMP(U16, uint16_t, 0, UINT16_MAX)
CLAMP(U32, uint32_t, 0, UINT32_MAX)
SATURATE(U64, uint64_t, 0, 0x1p64, UINT64_MAX)

#define INTEGER(S, T, v)                                                       \
  _Generic((v), float                                                          \
           : saturate_##S((double)(v)), double                                 \
           : saturate_##S((double)(v)), default                                \
           : (T)(v))

// The 16-bit floats from f32 and to it without a branch, so that loops
// vectorise; NaN stays one.
static inline uint32_t bits_of(float v) {
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

static inline float of_bits(uint32_t u) {
  float v;
  memcpy(&v, &u, sizeof v);
  return v;
}

static inline uint16_t bf16_of_float(float v) {
  uint32_t u = bits_of(v), rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return (uint16_t)(v != v ? u >> 31 << 15 | 0x7fc0 : rounded);
}

// Small numbers: 0.5 has the last digit that f16's smallest numbers have, so
// that adding it rounds as f16 would.
static inline uint16_t f16_of_float(float v) {
  uint32_t u = bits_of(v), sign = u >> 31 << 15, size = u & 0x7fffffff;
  uint32_t normal = ((size + 0xfff + (size >> 13 & 1)) >> 13) - (112u << 10);
  uint32_t small = bits_of(of_bits(size) + 0.5f) - bits_of(0.5f);
  uint32_t h = size < 0x38800000 ? small : normal;
  h = size >= 0x477ff000 ? 0x7c00 : h; // from 65520 on
  h = size > 0x7f800000 ? 0x7e00 : h;
  return (uint16_t)(sign | h);
}

static inline float float_of_f16(uint16_t h) {
  uint32_t size = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h >> 15)
                                                       << 31;
  float v = of_bits(size) * 0x1p112f; // small numbers become right as well
  uint32_t u = bits_of(v) | ((h & 0x7c00) == 0x7c00 ? 0x7f800000 : 0);
  return of_bits(u | sign);
}

#define SMALL(v, from_float, from_double)                                      \
  _Generic((v), float                                                          \
           : from_float((float)(v)), default                                   \
           : from_double((double)(v)))

#define STORE_BOOL(v) ((v) != 0)
#define STORE_I8(v)   INTEGER(I8, int8_t, v)
#define STORE_I16(v)  INTEGER(I16, int16_t, v)
#define STORE_I32(v)  INTEGER(I32, int32_t, v)
#define STORE_I64(v)  INTEGER(I64, int64_t, v)
#define STORE_U8(v)   INTEGER(U8, uint8_t, v)
#define STORE_U16(v)  INTEGER(U16, uint16_t, v)
#define STORE_U32(v)  INTEGER(U32, uint32_t, v)
#define STORE_U64(v)  INTEGER(U64, uint64_t, v)
#define STORE_F16(v)  SMALL(v, f16_of_float, dtype_f16_from_double)
#define STORE_BF16(v) SMALL(v, bf16_of_float, dtype_bf16_from_double)
#define STORE_F32(v)  ((float)(v))
#define STORE_F64(v)  ((double)(v))

// The 16-bit floats are widened when they are loaded; the rest is as it is.
#define LOAD_BOOL(v) (v)
#define LOAD_I8(v)   (v)
#define LOAD_I16(v)  (v)
#define LOAD_I32(v)  (v)
#define LOAD_I64(v)  (v)
#define LOAD_U8(v)   (v)
#define LOAD_U16(v)  (v)
#define LOAD_U32(v)  (v)
#define LOAD_U64(v)  (v)
#define LOAD_F16(v)  float_of_f16(v)
#define LOAD_BF16(v) of_bits((uint32_t)(v) << 16)
#define LOAD_F32(v)  (v)
#define LOAD_F64(v)  (v)

#define TYPES(X, ...)                                                          \
  X(BOOL, uint8_t, __VA_ARGS__)                                                \
  X(I8, int8_t, __VA_ARGS__)                                                   \
  X(I16, int16_t, __VA_ARGS__)                                                 \
  X(I32, int32_t, __VA_ARGS__)                                                 \
  X(I64, int64_t, __VA_ARGS__)                                                 \
  X(U8, uint8_t, __VA_ARGS__)                                                  \
  X(U16, uint16_t, __VA_ARGS__)                                                \
  X(U32, uint32_t, __VA_ARGS__)                                                \
  X(U64, uint64_t, __VA_ARGS__)                                                \
  X(F16, uint16_t, __VA_ARGS__)                                                \
  X(BF16, uint16_t, __VA_ARGS__)                                               \
  X(F32, float, __VA_ARGS__)                                                   \
  X(F64, double, __VA_ARGS__)

// Does a float lie where C converts it to the integer? Where a whole block does,
// nothing is left to be chosen, which takes half of the time.
#define INSIDE(v, low, above)                                                  \
  _Generic((v), float                                                          \
           : ((v) >= (low)) & ((v) < (above)), double                          \
           : ((v) >= (low)) & ((v) < (above)), default                         \
           : false)
#define FITS_BOOL(v) false
#define FITS_I8(v)   INSIDE(v, -0x1p7, 0x1p7)
#define FITS_I16(v)  INSIDE(v, -0x1p15, 0x1p15)
#define FITS_I32(v)  INSIDE(v, -0x1p31, 0x1p31)
#define FITS_I64(v)  INSIDE(v, -0x1p63, 0x1p63)
#define FITS_U8(v)   INSIDE(v, 0.0, 0x1p8)
#define FITS_U16(v)  INSIDE(v, 0.0, 0x1p16)
#define FITS_U32(v)  INSIDE(v, 0.0, 0x1p32)
#define FITS_U64(v)  INSIDE(v, 0.0, 0x1p64)
#define FITS_F16(v)  false
#define FITS_BF16(v) false
#define FITS_F32(v)  false
#define FITS_F64(v)  false

enum { BLOCK = 1024 }; // elements

#define LOOP(TO, T, FROM, F)                                                   \
  static void cast_##FROM##_##TO(char *out, int64_t so, const char *in,        \
                                 int64_t si, int64_t n) {                      \
    for (; so == sizeof(T) && si == sizeof(F) && n > 0; n -= BLOCK) {          \
      const F *p = (const F *)in;                                              \
      const int some = n < BLOCK ? (int)n : BLOCK;                             \
      int misses = 0;                                                          \
      for (int i = 0; i < some; i++)                                           \
        misses |= !FITS_##TO(LOAD_##FROM(p[i]));                               \
      if (!misses)                                                             \
        for (int i = 0; i < some; i++)                                         \
          ((T *)out)[i] = (T)LOAD_##FROM(p[i]);                                \
      else                                                                     \
        for (int i = 0; i < some; i++)                                         \
          ((T *)out)[i] = (T)STORE_##TO(LOAD_##FROM(p[i]));                    \
      in += some * (int)sizeof(F), out += some * (int)sizeof(T);               \
    }                                                                          \
    for (int64_t i = 0; i < n; i++)                                            \
      *(T *)(out + i * so) =                                                   \
          (T)STORE_##TO(LOAD_##FROM(*(const F *)(in + i * si)));               \
  }
#define ENTRY(TO, T, FROM, F) [DTYPE_##TO] = cast_##FROM##_##TO,

#define FROM_TYPE(FROM, F)                                                     \
  TYPES(LOOP, FROM, F)                                                         \
  static const kernel_cast_loop from_##FROM[DTYPE_COUNT] = {                   \
      TYPES(ENTRY, FROM, F)};

FROM_TYPE(BOOL, uint8_t)
FROM_TYPE(I8, int8_t)
FROM_TYPE(I16, int16_t)
FROM_TYPE(I32, int32_t)
FROM_TYPE(I64, int64_t)
FROM_TYPE(U8, uint8_t)
FROM_TYPE(U16, uint16_t)
FROM_TYPE(U32, uint32_t)
FROM_TYPE(U64, uint64_t)
FROM_TYPE(F16, uint16_t)
FROM_TYPE(BF16, uint16_t)
FROM_TYPE(F32, float)
FROM_TYPE(F64, double)

kernel_cast_loop WIDTH(find_cast)(enum dtype to, enum dtype from) {
  static const kernel_cast_loop *const tables[DTYPE_COUNT] = {
      [DTYPE_BOOL] = from_BOOL, [DTYPE_I8] = from_I8,
      [DTYPE_I16] = from_I16,   [DTYPE_I32] = from_I32,
      [DTYPE_I64] = from_I64,   [DTYPE_U8] = from_U8,
      [DTYPE_U16] = from_U16,   [DTYPE_U32] = from_U32,
      [DTYPE_U64] = from_U64,   [DTYPE_F16] = from_F16,
      [DTYPE_BF16] = from_BF16, [DTYPE_F32] = from_F32,
      [DTYPE_F64] = from_F64,
  };
  return tables[from][to];
}
