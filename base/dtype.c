// SPDX-License-Identifier: Apache-2.0
// Element types: names, promotion, and conversion of the 16-bit floats.
#include "base/dtype.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"

struct dtype_row {
  const char *name;
  const char *numpy_name;
  unsigned char bytes;
  char kind;
};

static const struct dtype_row rows[DTYPE_COUNT] = {
#define DTYPE(name, text, numpy, bytes, kind) {text, numpy, bytes, kind},
#include "base/dtype.def"
#undef DTYPE
};

size_t dtype_bytes(enum dtype t) {
  return rows[t].bytes;
}
char dtype_kind(enum dtype t) {
  return rows[t].kind;
}
const char *dtype_name(enum dtype t) {
  return rows[t].name;
}
const char *dtype_numpy_name(enum dtype t) {
  return rows[t].numpy_name;
}

bool dtype_parse(const char *text, enum dtype *out) {
  for (int t = 0; t < DTYPE_COUNT; t++)
    if (!strcmp(text, rows[t].name) || !strcmp(text, rows[t].numpy_name)) {
      *out = (enum dtype)t;
      return true;
    }
  return false;
}

enum dtype dtype_of_kind(char kind, size_t bytes) {
  for (int t = 0; t < DTYPE_COUNT; t++)
    if (t != DTYPE_BF16 && rows[t].kind == kind && rows[t].bytes == bytes)
      return (enum dtype)t;
  return DTYPE_COUNT;
}

void dtype_swap_bytes(enum dtype t, void *elements, int64_t count) {
  size_t width = dtype_bytes(t);
  char *p = elements;
  for (; count > 0; count--, p += width)
    for (size_t i = 0; i < width / 2; i++) {
      char c = p[i];
      p[i] = p[width - 1 - i];
      p[width - 1 - i] = c;
    }
}

const char *dtype_suggest(const char *text) {
  static const char *const others[][2] = {
      {"float", "f64"},  {"double", "f64"}, {"float_", "f64"},
      {"single", "f32"}, {"half", "f16"},   {"int", "i64"},
      {"int_", "i64"},   {"long", "i64"},   {"uint", "u64"},
      {"short", "i16"},  {"byte", "i8"},    {"ubyte", "u8"},
      {"bool_", "bool"}, {"f2", "f16"},     {"f4", "f32"},
      {"f8", "f64"},     {"i1", "i8"},      {"i2", "i16"},
      {"i4", "i32"},     {"u1", "u8"},      {"u2", "u16"},
      {"u4", "u32"},
  };
  text += *text == '<' || *text == '>' || *text == '=';
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(text, others[i][0]))
      return others[i][1];
  struct nearest near = nearest_to(text);
  for (int t = 0; t < DTYPE_COUNT; t++) {
    nearest_try(&near, rows[t].name, strlen(rows[t].name));
    nearest_try(&near, rows[t].numpy_name, strlen(rows[t].numpy_name));
  }
  return near.name;
}

// ---- Promotion ----

// Signed type of `bytes` bytes; beyond 8 there is only f64.
static enum dtype signed_of(size_t bytes) {
  switch (bytes) {
  case 1: return DTYPE_I8;
  case 2: return DTYPE_I16;
  case 4: return DTYPE_I32;
  case 8: return DTYPE_I64;
  default: return DTYPE_F64;
  }
}

enum dtype dtype_promote(enum dtype a, enum dtype b) {
  if (a == b || b == DTYPE_BOOL)
    return a;
  if (a == DTYPE_BOOL)
    return b;
  char ka = rows[a].kind, kb = rows[b].kind;
  if (ka == 'f' && kb == 'f')
    return rows[a].bytes == rows[b].bytes ? DTYPE_F32 : a > b ? a : b;
  if (ka == 'f' || kb == 'f')
    return ka == 'f' ? a : b;
  if (ka == kb)
    return rows[a].bytes > rows[b].bytes ? a : b;
  enum dtype s = ka == 'i' ? a : b, u = ka == 'i' ? b : a;
  if (rows[s].bytes > rows[u].bytes)
    return s;
  return signed_of(2u * rows[u].bytes);
}

// ---- 16-bit floats ----

static uint16_t small_from_double(double v, int exp_bits, int man_bits) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 63 << 15);
  uint16_t inf = (uint16_t)(((1 << exp_bits) - 1) << man_bits);
  if (isnan(v))
    return (uint16_t)(sign | inf | 1 << (man_bits - 1));
  int bias = (1 << (exp_bits - 1)) - 1;
  int e = (int)(bits >> 52 & 0x7ff) - 1023;
  if (e == 1024)
    return sign | inf;
  uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  int shift = 52 - man_bits;
  int field = e + bias - 1; // the implicit bit in q adds the missing 1
  if (field < 0) {
    shift -= field;
    field = 0;
  }
  if (shift > 53)
    return sign;
  uint64_t q = m >> shift;
  uint64_t rest = m & (((uint64_t)1 << shift) - 1);
  uint64_t half = (uint64_t)1 << (shift - 1);
  if (rest > half || (rest == half && (q & 1)))
    q++;
  uint64_t r = ((uint64_t)field << man_bits) + q;
  return (uint16_t)(sign | (r >= inf ? inf : r));
}

uint16_t dtype_f16_from_double(double v) {
  return small_from_double(v, 5, 10);
}
uint16_t dtype_bf16_from_double(double v) {
  return small_from_double(v, 8, 7);
}

static float float_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

float dtype_bf16_to_float(uint16_t bits) {
  return float_of_bits((uint32_t)bits << 16);
}

float dtype_f16_to_float(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t e = bits >> 10 & 31, m = bits & 1023;
  if (e == 31)
    return float_of_bits(sign | 0x7f800000 | m << 13);
  if (e == 0) // subnormal: m times 2^-24, exact
    return (float)m * 0x1p-24f * (sign ? -1.0f : 1.0f);
  return float_of_bits(sign | (e + 112) << 23 | m << 13);
}
