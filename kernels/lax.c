// SPDX-License-Identifier: Apache-2.0
// jax.lax's elementwise operations that np lacks, as XLA computes them: an
// integer divided by 0 gives -1, its remainder is the dividend.
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

#define GAMMA static
#include "kernels/gamma.h"
#include "kernels/incomplete.h"

// Columns for other types than the loop's are compiled and never used.
#pragma GCC diagnostic ignored "-Wtype-limits"
#define NONE         0
#define PASTE_(a, b) lax_##a##_##b
#define PASTE(a, b)  PASTE_(a, b)

union lax_loop {
  kernel_unary_loop unary;
  kernel_binary_loop binary;
};

// One inclusion per type. U: unsigned arithmetic at C's own width or wider.
#define T      int8_t
#define U      uint32_t
#define V      uint8_t
#define SUFFIX I8
#define SIGNED 1
#include "kernels/lax_type.h"
#define T      int16_t
#define U      uint32_t
#define V      uint16_t
#define SUFFIX I16
#define SIGNED 1
#include "kernels/lax_type.h"
#define T      int32_t
#define U      uint32_t
#define V      uint32_t
#define SUFFIX I32
#define SIGNED 1
#include "kernels/lax_type.h"
#define T      int64_t
#define U      uint64_t
#define V      uint64_t
#define SUFFIX I64
#define SIGNED 1
#include "kernels/lax_type.h"
#define T      uint8_t
#define U      uint32_t
#define V      uint8_t
#define SUFFIX U8
#define SIGNED 0
#include "kernels/lax_type.h"
#define T      uint16_t
#define U      uint32_t
#define V      uint16_t
#define SUFFIX U16
#define SIGNED 0
#include "kernels/lax_type.h"
#define T      uint32_t
#define U      uint32_t
#define V      uint32_t
#define SUFFIX U32
#define SIGNED 0
#include "kernels/lax_type.h"
#define T      uint64_t
#define U      uint64_t
#define V      uint64_t
#define SUFFIX U64
#define SIGNED 0
#include "kernels/lax_type.h"
#define T       float
#define SUFFIX  F32
#define F(name) name##f
#include "kernels/lax_type.h"
#define T       double
#define SUFFIX  F64
#define F(name) name
#include "kernels/lax_type.h"

// ---- The next number of 16 bits ----

// Bit patterns of one sign are ordered as the numbers are. `most` is that of
// infinity: what is above it is no number.
static uint16_t next_16(uint16_t x, uint16_t y, uint16_t most) {
  const uint16_t sign = 0x8000, a = x & (uint16_t)~sign,
                 b = y & (uint16_t)~sign;
  if (a > most)
    return x;
  if (b > most || x == y || (a == 0 && b == 0))
    return y;
  if (a == 0)
    return (uint16_t)((y & sign) | 1);
  const bool is_same_sign = (x & sign) == (y & sign);
  return (uint16_t)(is_same_sign && b > a ? x + 1 : x - 1);
}

#define NEXT_16(fn, most)                                                      \
  static void fn(char *out, int64_t so, struct kernel_line a,                  \
                 struct kernel_line b, int64_t n) {                            \
    for (int64_t k = 0; k < n; k++)                                            \
      *(uint16_t *)(out + k * so) =                                            \
          next_16(*(const uint16_t *)(a.at + k * a.stride),                    \
                  *(const uint16_t *)(b.at + k * b.stride), most);             \
  }
NEXT_16(next_f16, 0x7c00)
NEXT_16(next_bf16, 0x7f80)

// ---- The tables ----

static const struct {
  const char *name, *column[2]; // integers, floats
  int arity;
} rows[] = {
#define LAX1(name, i, f) {#name, {#i, #f}, 1},
#define LAX2(name, i, f) {#name, {#i, #f}, 2},
#include "kernels/lax.def"
#undef LAX1
#undef LAX2
};

static const union lax_loop *const loops[DTYPE_COUNT] = {
    [DTYPE_I8] = lax_loops_I8,   [DTYPE_I16] = lax_loops_I16,
    [DTYPE_I32] = lax_loops_I32, [DTYPE_I64] = lax_loops_I64,
    [DTYPE_U8] = lax_loops_U8,   [DTYPE_U16] = lax_loops_U16,
    [DTYPE_U32] = lax_loops_U32, [DTYPE_U64] = lax_loops_U64,
    [DTYPE_F32] = lax_loops_F32, [DTYPE_F64] = lax_loops_F64,
};

static const union lax_loop *find(const char *name, enum dtype t, int arity) {
  for (size_t i = 0; loops[t] && i < sizeof rows / sizeof *rows; i++)
    if (rows[i].arity == arity && !strcmp(rows[i].name, name) &&
        strcmp(rows[i].column[dtype_kind(t) == 'f'], "NONE") != 0)
      return &loops[t][i];
  return NULL;
}

kernel_unary_loop kernel_lax_unary(const char *name, enum dtype t) {
  const union lax_loop *loop = find(name, t, 1);
  return loop ? loop->unary : NULL;
}

kernel_binary_loop kernel_lax_binary(const char *name, enum dtype t) {
  const bool is_next = !strcmp(name, "nextafter");
  if (is_next && t == DTYPE_F16)
    return next_f16;
  if (is_next && t == DTYPE_BF16)
    return next_bf16;
  const union lax_loop *loop = find(name, t, 2);
  return loop ? loop->binary : NULL;
}
