// SPDX-License-Identifier: Apache-2.0
// Keys, a radix sort of them, and binary search.
#include "kernels/kernels.h"

#include <string.h>

// ---- Keys ----

// A float's bits, read as an integer, ascend with its size; those of negative
// numbers descend. NaN is above everything.
static uint64_t float_key(uint64_t bits, int width, uint64_t infinity,
                          bool is_exact) {
  uint64_t sign = (uint64_t)1 << (width - 1), size = bits & (sign - 1);
  if (size > infinity)
    return order_nan(DTYPE_F64) >> (64 - width);
  if (size == 0 && !is_exact)
    return sign;
  return bits & sign ? sign - 1 - size : sign | size;
}

static uint64_t float_bits(uint64_t key, int width, uint64_t infinity) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  if (key == order_nan(DTYPE_F64) >> (64 - width))
    return infinity | infinity >> 1;
  return key & sign ? key & (sign - 1) : sign | (sign - 1 - key);
}

#define INFINITY_16B 0x7f80u
#define INFINITY_16  0x7c00u
#define INFINITY_32  0x7f800000u
#define INFINITY_64  0x7ff0000000000000u

uint64_t order_nan(enum dtype t) {
  return dtype_kind(t) == 'f' ? UINT64_MAX >> (64 - 8 * dtype_bytes(t)) : 0;
}

#define KEYS(T, expression)                                                    \
  for (int64_t i = 0; i < n; i++) {                                            \
    T v;                                                                       \
    memcpy(&v, a + i * stride, sizeof v);                                      \
    keys[i] = (expression);                                                    \
  }                                                                            \
  break;

void order_keys(enum dtype t, const char *a, int64_t stride, int64_t n,
                uint64_t *keys, bool is_exact) {
  switch (t) {
  case DTYPE_BOOL:
  case DTYPE_U8: KEYS(uint8_t, v)
  case DTYPE_U16: KEYS(uint16_t, v)
  case DTYPE_U32: KEYS(uint32_t, v)
  case DTYPE_U64: KEYS(uint64_t, v)
  case DTYPE_I8: KEYS(uint8_t, v ^ 0x80u)
  case DTYPE_I16: KEYS(uint16_t, v ^ 0x8000u)
  case DTYPE_I32: KEYS(uint32_t, v ^ 0x80000000u)
  case DTYPE_I64: KEYS(uint64_t, v ^ (uint64_t)1 << 63)
  case DTYPE_F16: KEYS(uint16_t, float_key(v, 16, INFINITY_16, is_exact))
  case DTYPE_BF16: KEYS(uint16_t, float_key(v, 16, INFINITY_16B, is_exact))
  case DTYPE_F32: KEYS(uint32_t, float_key(v, 32, INFINITY_32, is_exact))
  case DTYPE_F64: KEYS(uint64_t, float_key(v, 64, INFINITY_64, is_exact))
  case DTYPE_COUNT: break;
  }
}

#define ELEMENTS(T, expression)                                                \
  for (int64_t i = 0; i < n; i++) {                                            \
    const uint64_t k = keys[i];                                                \
    ((T *)out)[i] = (T)(expression);                                           \
  }                                                                            \
  break;

void order_elements(enum dtype t, const uint64_t *keys, int64_t n, char *out) {
  switch (t) {
  case DTYPE_BOOL:
  case DTYPE_U8: ELEMENTS(uint8_t, k)
  case DTYPE_U16: ELEMENTS(uint16_t, k)
  case DTYPE_U32: ELEMENTS(uint32_t, k)
  case DTYPE_U64: ELEMENTS(uint64_t, k)
  case DTYPE_I8: ELEMENTS(uint8_t, k ^ 0x80u)
  case DTYPE_I16: ELEMENTS(uint16_t, k ^ 0x8000u)
  case DTYPE_I32: ELEMENTS(uint32_t, k ^ 0x80000000u)
  case DTYPE_I64: ELEMENTS(uint64_t, k ^ (uint64_t)1 << 63)
  case DTYPE_F16: ELEMENTS(uint16_t, float_bits(k, 16, INFINITY_16))
  case DTYPE_BF16: ELEMENTS(uint16_t, float_bits(k, 16, INFINITY_16B))
  case DTYPE_F32: ELEMENTS(uint32_t, float_bits(k, 32, INFINITY_32))
  case DTYPE_F64: ELEMENTS(uint64_t, float_bits(k, 64, INFINITY_64))
  case DTYPE_COUNT: break;
  }
}

// ---- Sorting ----

enum { FEW = 48 }; // up to here insertion is faster than counting

// `at` may be NULL: then only the keys are sorted.
static void insertion(uint64_t *keys, int64_t *at, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    uint64_t key = keys[i];
    int64_t which = at ? at[i] : 0, j = i;
    for (; j > 0 && keys[j - 1] > key; j--) {
      keys[j] = keys[j - 1];
      if (at)
        at[j] = at[j - 1];
    }
    keys[j] = key;
    if (at)
      at[j] = which;
  }
}

// Where each of the 256 values of a byte begins.
static void count_bytes(const uint64_t *keys, int64_t n, int shift,
                        int64_t start[256]) {
  memset(start, 0, 256 * sizeof *start);
  for (int64_t i = 0; i < n; i++)
    start[keys[i] >> shift & 255]++;
  int64_t sum = 0;
  for (int k = 0; k < 256; k++) {
    int64_t count = start[k];
    start[k] = sum;
    sum += count;
  }
}

// A byte at a time, the lowest first; each pass keeps the order of equals.
static void radix(uint64_t *keys, int64_t *at, uint64_t *spare,
                  int64_t *spare_at, int64_t n) {
  int64_t start[256];
  uint64_t *from = keys, *to = spare;
  int64_t *from_at = at, *to_at = spare_at;
  uint64_t differ = 0;
  for (int64_t i = 1; i < n; i++)
    differ |= keys[i] ^ keys[0];
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & 255)) // one byte everywhere
      continue;
    count_bytes(from, n, shift, start);
    for (int64_t i = 0; i < n; i++) {
      int64_t j = start[from[i] >> shift & 255]++;
      to[j] = from[i];
      if (at)
        to_at[j] = from_at[i];
    }
    uint64_t *t = from;
    from = to, to = t;
    int64_t *u = from_at;
    from_at = to_at, to_at = u;
  }
  if (from != keys)
    memcpy(keys, from, (size_t)n * sizeof *keys);
  if (at && from_at != at)
    memcpy(at, from_at, (size_t)n * sizeof *at);
}

void order_sort(uint64_t *keys, uint64_t *spare, int64_t n) {
  if (n <= FEW)
    insertion(keys, NULL, n);
  else
    radix(keys, NULL, spare, NULL, n);
}

void order_argsort(uint64_t *keys, int64_t *at, uint64_t *spare,
                   int64_t *spare_at, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    at[i] = i;
  if (n <= FEW)
    insertion(keys, at, n);
  else
    radix(keys, at, spare, spare_at, n);
}

// ---- Searching ----

int64_t order_search(const uint64_t *keys, int64_t n, uint64_t key,
                     bool after_equal) {
  int64_t low = 0;
  while (n > 0) {
    int64_t half = n / 2;
    bool is_before =
        after_equal ? keys[low + half] <= key : keys[low + half] < key;
    low = is_before ? low + half + 1 : low;
    n = is_before ? n - half - 1 : half;
  }
  return low;
}

// A number of steps that depends on `n` alone, so that four searches go on at
// once: each waits for memory and not for the others.
void order_search_all(const uint64_t *sorted, int64_t n, const uint64_t *keys,
                      int64_t count, bool after_equal, int64_t *out) {
  enum { LANES = 4 };
  int64_t i = 0;
  for (; n > 0 && i + LANES <= count; i += LANES) {
    const uint64_t *at[LANES] = {sorted, sorted, sorted, sorted};
    for (int64_t rest = n; rest > 1; rest -= rest / 2)
      for (int c = 0; c < LANES; c++) {
        const uint64_t *next = at[c] + rest / 2, x = next[-1], y = keys[i + c];
        at[c] = (after_equal ? x <= y : x < y) ? next : at[c];
      }
    for (int c = 0; c < LANES; c++) {
      const uint64_t x = *at[c], y = keys[i + c];
      out[i + c] = at[c] - sorted + (after_equal ? x <= y : x < y);
    }
  }
  for (; i < count; i++)
    out[i] = order_search(sorted, n, keys[i], after_equal);
}
