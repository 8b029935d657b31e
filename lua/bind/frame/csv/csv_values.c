// SPDX-License-Identifier: Apache-2.0
// Fields as values. A number is its digits as a whole number times a power of
// ten: where both are exact, so is their product or quotient; else a wider type
// has it, unless that stands so near to the middle of two numbers that its own
// rounding could decide; then strtod does.
#include "lua/bind/frame/csv/csv_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Missing values ----

void na_texts_of(struct na_texts *na, const char *const *texts, int count) {
  memset(na, 0, sizeof *na);
  na->texts = texts;
  na->count = count;
  for (int i = 0; i < count; i++) {
    size_t n = strlen(texts[i]);
    bool is_negative;
    enum csv_type type = csv_type_of(texts[i], n, &is_negative);
    na->has_number |= type != CSV_TEXT && type != CSV_BOOL;
    na->has_empty |= n == 0;
    na->lengths[(unsigned char)texts[i][0]] |=
        1u << (n < NA_LENGTHS ? n : NA_LENGTHS);
  }
}

bool na_texts_search(const struct na_texts *na, const char *p, size_t n) {
  for (int i = 0; i < na->count; i++)
    if (*na->texts[i] == *p && strlen(na->texts[i]) == n &&
        !memcmp(na->texts[i], p, n))
      return true;
  return false;
}

// ---- Bools ----

bool csv_parse_bool(const char *p, size_t n, bool *out) {
  static const char *const words[] = {"True", "TRUE", "true"};
  static const char *const not_words[] = {"False", "FALSE", "false"};
  for (int i = 0; i < 3; i++) {
    *out = n == 4 && !memcmp(p, words[i], n);
    if (*out || (n == 5 && !memcmp(p, not_words[i], n)))
      return true;
  }
  return false;
}

// ---- Numbers ----

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// A text without the blanks around it, and its sign.
struct number {
  const char *p, *end;
  bool is_negative;
};

static struct number begin(const char *p, size_t n) {
  struct number x = {p, p + n, false};
  while (x.p < x.end && is_blank(*x.p))
    x.p++;
  while (x.p < x.end && is_blank(x.end[-1]))
    x.end--;
  if (x.p < x.end && (*x.p == '-' || *x.p == '+'))
    x.is_negative = *x.p++ == '-';
  return x;
}

// As many digits fit into 64 bits whatever they are.
enum { SURE_DIGITS = 19 };

// Whole numbers: false where there is another sign, or no digit, or more than
// 64 bits.
static bool parse_size(const struct number *x, uint64_t *size) {
  const char *p = x->p;
  *size = 0;
  if (p == x->end)
    return false;
  if (x->end - p <= SURE_DIGITS) {
    uint64_t v = 0;
    for (; p < x->end && is_digit(*p); p++)
      v = v * 10 + (uint64_t)(*p - '0');
    *size = v;
    return p == x->end;
  }
  for (; p < x->end; p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (!is_digit(*p) || *size > (UINT64_MAX - digit) / 10)
      return false;
    *size = *size * 10 + digit;
  }
  return true;
}

bool csv_parse_i64(const char *p, size_t n, int64_t *out) {
  struct number x = begin(p, n);
  uint64_t size;
  if (!parse_size(&x, &size) || size > (uint64_t)INT64_MAX + x.is_negative)
    return false;
  *out = x.is_negative ? (int64_t)-size : (int64_t)size;
  return true;
}

bool csv_parse_u64(const char *p, size_t n, uint64_t *out) {
  struct number x = begin(p, n);
  return parse_size(&x, out) && !(x.is_negative && *out);
}

// ---- Floats ----

enum { MOST_DIGITS = 19, EXACT_POWER = 22, WIDE_POWER = 27, MOST_TEXT = 800 };

// mantissa * 10^power; `is_whole`: all digits are in the mantissa.
struct decimal {
  uint64_t mantissa;
  int power;
  bool is_whole;
};

static const char *read_digits(const char *p, const char *end,
                               struct decimal *d, int *count, bool is_behind) {
  for (; p < end && is_digit(*p); p++) {
    if (*count < MOST_DIGITS) {
      d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
      *count += d->mantissa != 0;
      d->power -= is_behind;
    } else {
      d->is_whole &= *p == '0';
      d->power += !is_behind;
    }
  }
  return p;
}

// e+12: false where no digit follows the e.
static bool read_power(const char *p, const char *end, struct decimal *d) {
  bool is_negative = false;
  int power = 0;
  if (p < end && (*p == '-' || *p == '+'))
    is_negative = *p++ == '-';
  if (p == end)
    return false;
  for (; p < end && is_digit(*p); p++)
    power = power < 10000 ? power * 10 + (*p - '0') : power;
  d->power += is_negative ? -power : power;
  return p == end;
}

static bool read_decimal(const struct number *x, struct decimal *d) {
  int count = 0;
  const char *whole = read_digits(x->p, x->end, d, &count, false), *p = whole;
  const char *behind = p;
  if (p < x->end && *p == '.')
    p = read_digits(behind = p + 1, x->end, d, &count, true);
  if (whole == x->p && p == behind)
    return false;
  if (p < x->end && (*p == 'e' || *p == 'E'))
    return read_power(p + 1, x->end, d);
  return p == x->end;
}

// The same of as few digits as surely fit, and no power: most numbers.
static bool read_short(const struct number *x, struct decimal *d) {
  const char *p = x->p, *point;
  uint64_t mantissa = 0;
  if (x->end - p > SURE_DIGITS)
    return false;
  for (; p < x->end && is_digit(*p); p++)
    mantissa = mantissa * 10 + (uint64_t)(*p - '0');
  point = p;
  if (p == x->p || p == x->end || *p++ != '.')
    return false;
  for (; p < x->end && is_digit(*p); p++)
    mantissa = mantissa * 10 + (uint64_t)(*p - '0');
  d->mantissa = mantissa;
  d->power = -(int)(p - point - 1);
  return p == x->end;
}

// Is it written so that read_decimal takes it?
static bool is_decimal(const struct number *x) {
  const char *p = x->p;
  while (p < x->end && is_digit(*p))
    p++;
  int digits = (int)(p - x->p);
  if (p < x->end && *p == '.')
    for (p++; p < x->end && is_digit(*p); p++)
      digits++;
  if (!digits || p == x->end)
    return digits > 0;
  struct decimal d = {0, 0, true};
  return read_decimal(x, &d);
}

static bool is_word(const struct number *x, const char *word) {
  size_t n = strlen(word);
  return (size_t)(x->end - x->p) == n && !strncasecmp(x->p, word, n);
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const long double wide_powers[] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

bool csv_scale(uint64_t mantissa, int power, double *out) {
  int size = abs(power);
  if (size > WIDE_POWER)
    return false;
  if (mantissa >> DBL_MANT_DIG == 0 && size <= EXACT_POWER) {
    *out = power < 0 ? (double)mantissa / powers[size]
                     : (double)mantissa * powers[size];
    return true;
  }
  if (LDBL_MANT_DIG < 64)
    return false;
  long double v = power < 0 ? (long double)mantissa / wide_powers[size]
                            : (long double)mantissa * wide_powers[size];
  *out = (double)v;
  return (double)(v - v * 0x1p-62L) == (double)(v + v * 0x1p-62L);
}

static bool quick(const struct decimal *d, double *out) {
  return d->is_whole && csv_scale(d->mantissa, d->power, out);
}

// With all of its digits; blanks and sign are off.
static double slow(const struct number *x) {
  char text[MOST_TEXT], *copy = text;
  size_t n = (size_t)(x->end - x->p);
  if (n < sizeof text) {
    memcpy(text, x->p, n);
    text[n] = 0;
  } else if (!(copy = strndup(x->p, n))) {
    return NAN;
  }
  double v = strtod(copy, NULL);
  if (copy != text)
    free(copy);
  return v;
}

bool csv_parse_f64(const char *p, size_t n, double *out) {
  struct number x = begin(p, n);
  struct decimal d = {0, 0, true};
  if (x.p == x.end)
    return false;
  if (!is_digit(*x.p) && (is_word(&x, "inf") || is_word(&x, "infinity")))
    *out = INFINITY;
  else if (!read_short(&x, &d) &&
           (d = (struct decimal){0, 0, true}, !read_decimal(&x, &d)))
    return false;
  else if (!quick(&d, out))
    *out = slow(&x);
  *out = x.is_negative ? -*out : *out;
  return true;
}

// ---- Types ----

enum csv_type csv_type_of(const char *p, size_t n, bool *is_negative) {
  struct number x = begin(p, n);
  *is_negative = x.is_negative;
  uint64_t size;
  bool truth;
  if (x.p == x.end)
    return CSV_TEXT;
  if (is_digit(*x.p) && parse_size(&x, &size))
    return size <= (uint64_t)INT64_MAX + x.is_negative ? CSV_I64
           : x.is_negative                             ? CSV_F64
                                                       : CSV_U64;
  if (is_digit(*x.p) || *x.p == '.')
    return is_decimal(&x) ? CSV_F64 : CSV_TEXT;
  if (csv_parse_bool(p, n, &truth))
    return CSV_BOOL;
  return is_word(&x, "inf") || is_word(&x, "infinity") ? CSV_F64 : CSV_TEXT;
}

enum csv_type csv_type_join(enum csv_type a, enum csv_type b,
                            bool has_negative) {
  if (a == b || b == CSV_NONE)
    return a;
  if (a == CSV_NONE)
    return b;
  if (a == CSV_TEXT || b == CSV_TEXT || a == CSV_BOOL || b == CSV_BOOL)
    return CSV_TEXT;
  if (a == CSV_F64 || b == CSV_F64 || has_negative)
    return CSV_F64;
  return CSV_U64;
}
