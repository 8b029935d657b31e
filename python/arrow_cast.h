// SPDX-License-Identifier: Apache-2.0
// Our columns in another of Arrow's forms, where a consumer asks for one: numbers of
// another type, texts as such. No value becomes another but by rounding a float to a
// shorter one.
#ifndef PYTHON_ARROW_CAST_H
#define PYTHON_ARROW_CAST_H

#include "lua/bind/frame/frame.h"
#include "python/arrow_c.h"

// How a column is told: Arrow's formats.
struct arrow_form {
  const char *format, *dictionary; // dictionary: of codes, or NULL
};

// The form of `c` that is asked for. False: there is none of it.
bool arrow_form_asked(const struct arrow_written *c,
                      const struct c_schema *asked, struct arrow_form *out);
// Stores numbers, or codes, as another type; 0 where one is missing that has no NaN.
// False: a value is none of that type.
bool arrow_cast_numbers(const struct arrow_written *c, int64_t rows,
                        enum dtype to, void *out);
// The bytes of all rows' texts, which arrow_cast_texts stores with where they begin, in
// offsets of `width` bytes.
int64_t arrow_cast_bytes(const struct arrow_written *c, int64_t rows);
void arrow_cast_texts(const struct arrow_written *c, int64_t rows, size_t width,
                      char *offsets, char *bytes);
// Views of them into `bytes`, where each text of the dictionary stands once.
void arrow_cast_views(const struct arrow_written *c, int64_t rows,
                      const int64_t *begins, const char *bytes, char *views);

#endif
