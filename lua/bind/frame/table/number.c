// SPDX-License-Identifier: Apache-2.0
// Numbers as Python writes them.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/table/table.h"

enum { EXACT_DIGITS = 17, PLAIN_DIGITS = 15, LARGEST = 16, SMALLEST = -4 };

// The digits of |v| without zeros at their end; returns the exponent of the
// first one.
static int digits_of(double v, bool is_single, char digits[NUMBER_TEXT]) {
  char text[NUMBER_TEXT];
  // What is nearly 0 has fewer digits that mean something.
  for (int n = v < DBL_MIN || is_single ? 1 : PLAIN_DIGITS; n <= EXACT_DIGITS;
       n++) {
    snprintf(text, sizeof text, "%.*e", n - 1, v);
    if (is_single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
      break;
  }
  char *e = strchr(text, 'e');
  int exponent = atoi(e + 1), count = 0;
  for (const char *p = text; p < e; p++)
    if (*p != '.')
      digits[count++] = *p;
  while (count > 1 && digits[count - 1] == '0')
    count--;
  digits[count] = 0;
  return exponent;
}

static size_t write_scientific(const char *digits, int exponent, char *out) {
  return (size_t)snprintf(out, NUMBER_TEXT, "%c%s%se%c%02d", digits[0],
                          digits[1] ? "." : "", digits + 1,
                          exponent < 0 ? '-' : '+', abs(exponent));
}

static size_t write_plain(const char *digits, int exponent, char *out) {
  char *p = out;
  int count = (int)strlen(digits), last = exponent > count ? exponent : count;
  if (exponent < 0) {
    return (size_t)snprintf(out, NUMBER_TEXT - 1, "0.%.*s%.17s", -exponent - 1,
                            "000", digits);
  }
  for (int i = 0; i < last || i <= exponent + 1; i++) {
    if (i == exponent + 1)
      *p++ = '.';
    *p++ = i < count ? digits[i] : '0';
  }
  return (size_t)(p - out);
}

size_t number_write(double v, bool is_single, char out[NUMBER_TEXT]) {
  char digits[NUMBER_TEXT], *p = out;
  if (v != v || isinf(v))
    return (size_t)snprintf(out, NUMBER_TEXT, "%s",
                            v != v  ? "nan"
                            : v > 0 ? "inf"
                                    : "-inf");
  if (signbit(v))
    *p++ = '-';
  int exponent = digits_of(fabs(v), is_single, digits);
  bool is_plain = exponent >= SMALLEST && exponent < LARGEST;
  return (size_t)(p - out) + (is_plain ? write_plain(digits, exponent, p)
                                       : write_scientific(digits, exponent, p));
}
