// SPDX-License-Identifier: Apache-2.0
// Fields that are as most are, parsed without a search for their end: eight bytes
// in one word, and no branch for each digit. How many of them are digits is seen
// in the word; three products make a number of them (D. Lemire, Number Parsing at a
// Gigabyte per Second, Software: Practice and Experience 51, 2021). Each returns
// the place behind what it took, and NULL where the field may be another kind; the
// caller looks at what stands there.
#ifndef LUA_BIND_FRAME_CSV_CSV_QUICK_H
#define LUA_BIND_FRAME_CSV_CSV_QUICK_H

#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#  include <emmintrin.h>
#endif

#include "lua/bind/frame/csv/csv_values.h"

enum { CSV_WORD = 8, CSV_EXACT_BITS = 53 };

static const uint64_t csv_powers[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static const double csv_exact_powers[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

// How many digits stand first in the eight bytes at `p`, and their number.
static inline int csv_quick_digits(const char *p, uint64_t *number) {
  uint64_t w;
  memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  w = __builtin_bswap64(w);
#endif
  w ^= 0x3030303030303030u; // a digit is 0 to 9, which a carry cannot leave
  uint64_t others = ((w + 0x7676767676767676u) | w) & 0x8080808080808080u;
  int n = others ? __builtin_ctzll(others) >> 3 : CSV_WORD;
  w <<= (CSV_WORD - n) * 8 &
        63; // digits before them are 0; of none it is no matter
  w = (w & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
  w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
  *number = (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
  return n;
}

// 15 digits at most.
static inline const char *csv_quick_i64(const char *p, int64_t *out,
                                        bool *is_negative) {
  uint64_t v, more;
  *is_negative = *p == '-';
  p += *is_negative;
  int n = csv_quick_digits(p, &v);
  if (n == 0)
    return NULL;
  p += n;
  if (n == CSV_WORD) {
    n = csv_quick_digits(p, &more);
    if (n == CSV_WORD)
      return NULL;
    v = n ? v * csv_powers[n] + more : v;
    p += n;
  }
  *out = *is_negative ? -(int64_t)v : (int64_t)v;
  return p;
}

// Seven digits at most before the point, and as many behind it as fit into 64 bits.
static inline const char *csv_quick_f64(const char *p, double *out) {
  uint64_t v, part;
  bool is_negative = *p == '-';
  p += is_negative;
  int n = csv_quick_digits(p, &v), behind = 0, all = n;
  if (n == 0 || n == CSV_WORD)
    return NULL;
  p += n;
  if (*p == '.') {
    for (p++; (n = csv_quick_digits(p, &part)) == CSV_WORD && behind < 8;) {
      v = v * csv_powers[CSV_WORD] + part;
      behind += CSV_WORD;
      p += CSV_WORD;
    }
    if (n == CSV_WORD || n + behind == 0 || (all += n + behind) > 19)
      return NULL;
    v = n ? v * csv_powers[n] + part : v;
    behind += n;
    p += n;
  }
  // Both are exact, and so is what is nearest to their quotient.
  if (v >> CSV_EXACT_BITS == 0)
    *out = (double)(int64_t)v / csv_exact_powers[behind];
  else if (!csv_scale(v, -behind, out))
    return NULL;
  *out = is_negative ? -*out : *out;
  return p;
}

// Where the first of these four bytes is, at or behind `p`; one of them stands there.
static inline const char *csv_quick_stop(const char *p, const bool *stops,
                                         char separator, char quote) {
#ifdef __SSE2__
  for (;; p += sizeof(__m128i)) {
    __m128i w = _mm_loadu_si128((const __m128i *)p);
    __m128i is_end =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(w, _mm_set1_epi8(separator)),
                                  _mm_cmpeq_epi8(w, _mm_set1_epi8('\n'))),
                     _mm_or_si128(_mm_cmpeq_epi8(w, _mm_set1_epi8('\r')),
                                  _mm_cmpeq_epi8(w, _mm_set1_epi8(quote))));
    int places = _mm_movemask_epi8(is_end);
    if (places)
      p += __builtin_ctz((unsigned)places);
    if (places)
      break;
  }
  (void)stops;
#else
  while (!stops[(unsigned char)*p])
    p++;
  (void)separator;
  (void)quote;
#endif
  return p;
}

// The first of these bytes before `end`, or NULL; behind `end` is padding.
static inline const char *csv_quick_quote(const char *p, const char *end,
                                          char quote) {
#ifdef __SSE2__
  for (; p < end; p += sizeof(__m128i)) {
    __m128i w = _mm_loadu_si128((const __m128i *)p);
    int places = _mm_movemask_epi8(_mm_cmpeq_epi8(w, _mm_set1_epi8(quote)));
    if (places) {
      p += __builtin_ctz((unsigned)places);
      return p < end ? p : NULL;
    }
  }
  return NULL;
#else
  return p < end ? memchr(p, quote, (size_t)(end - p)) : NULL;
#endif
}

#endif
