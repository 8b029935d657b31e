// SPDX-License-Identifier: Apache-2.0
// What a field's text is: a missing value, a number, a bool, another text. The
// rules are those of pandas' reader; numbers are rounded exactly.
#ifndef LUA_BIND_FRAME_CSV_CSV_VALUES_H
#define LUA_BIND_FRAME_CSV_CSV_VALUES_H

#include "lua/bind/frame/csv/csv.h"

// The texts that stand for a missing value, found by first byte and length.
enum { NA_LENGTHS = 31 };
struct na_texts {
  const char *const *texts; // the caller's
  int count;
  bool has_empty, has_number;
  uint32_t lengths[256]; // of those that begin so: bit n, the highest n or more
};
void na_texts_of(struct na_texts *na, const char *const *texts, int count);
bool na_texts_search(const struct na_texts *na, const char *p, size_t n);
static inline bool na_texts_has(const struct na_texts *na, const char *p,
                                size_t n) {
  if (!n)
    return na->has_empty;
  uint32_t lengths = na->lengths[(unsigned char)*p];
  return lengths >> (n < NA_LENGTHS ? n : NA_LENGTHS) & 1 &&
         na_texts_search(na, p, n);
}

// The type of a text that is not missing.
enum csv_type csv_type_of(const char *p, size_t n, bool *is_negative);
// The type that takes values of both; `has_negative`: one of them is below 0.
enum csv_type csv_type_join(enum csv_type a, enum csv_type b,
                            bool has_negative);
// Each false where the text is none.
bool csv_parse_bool(const char *p, size_t n, bool *out);
bool csv_parse_i64(const char *p, size_t n, int64_t *out);
bool csv_parse_u64(const char *p, size_t n, uint64_t *out);
bool csv_parse_f64(const char *p, size_t n, double *out);
// mantissa * 10^power, rounded exactly; false: that takes all the digits' text.
bool csv_scale(uint64_t mantissa, int power, double *out);

#endif
