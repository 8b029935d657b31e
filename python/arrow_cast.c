// SPDX-License-Identifier: Apache-2.0
#include "python/arrow_cast.h"

#include <math.h>
#include <string.h>

static const char *at_row(const struct arrow_written *c, int64_t row) {
  return (const char *)c->values + row * c->stride;
}

// ---- What is asked for ----

static const char *same_of(const char *format, const char *const *known) {
  while (*known && strcmp(*known, format) != 0)
    known++;
  return *known;
}

static bool form_of_texts(const struct c_schema *asked,
                          struct arrow_form *out) {
  static const char *const plain[] = {"u", "U", "vu", NULL};
  static const char *const within[] = {"u", "U", NULL};
  const struct c_schema *words = asked->dictionary;
  struct arrow_field codes;
  if (!words) {
    *out = (struct arrow_form){same_of(asked->format, plain), NULL};
    return out->format;
  }
  arrow_field_of_format(asked->format, &codes);
  if (codes.kind != ARROW_NUMBER || dtype_kind(codes.dtype) == 'f' ||
      words->dictionary)
    return false;
  *out = (struct arrow_form){arrow_format_of(codes.dtype),
                             same_of(words->format, within)};
  return out->dictionary;
}

bool arrow_form_asked(const struct arrow_written *c,
                      const struct c_schema *asked, struct arrow_form *out) {
  struct arrow_field f;
  if (c->texts)
    return form_of_texts(asked, out);
  arrow_field_of_format(asked->format, &f);
  bool is_bool = c->is_object || c->dtype == DTYPE_BOOL;
  if (asked->dictionary || f.kind != (is_bool ? ARROW_BOOL : ARROW_NUMBER))
    return false;
  *out = (struct arrow_form){arrow_format_of(f.dtype), NULL};
  return true;
}

// ---- Numbers ----

// A whole number of any type: the bits of an i64 where it is negative, else of a u64.
struct whole {
  uint64_t bits;
  bool is_negative;
};

static struct whole load_whole(const char *at, enum dtype t) {
  size_t bytes = dtype_bytes(t);
  uint64_t v = 0;
  memcpy(&v, at, bytes);
  int spare = 64 - 8 * (int)bytes;
  int64_t is_signed = (int64_t)(v << spare) >> spare;
  if (dtype_kind(t) != 'i' || is_signed >= 0)
    return (struct whole){v, false};
  return (struct whole){(uint64_t)is_signed, true};
}

static double load_double(const char *at, enum dtype t) {
  uint16_t half;
  float f;
  double d;
  if (t == DTYPE_F16)
    return memcpy(&half, at, sizeof half), dtype_f16_to_float(half);
  if (t == DTYPE_F32)
    return memcpy(&f, at, sizeof f), f;
  return memcpy(&d, at, sizeof d), d;
}

static bool store_whole(struct whole w, enum dtype t, char *at) {
  int bits = 8 * (int)dtype_bytes(t);
  bool is_signed = dtype_kind(t) == 'i';
  uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
  bool is_in = w.is_negative ? is_signed && ~w.bits <= most : w.bits <= most;
  memcpy(at, &w.bits, (size_t)bits / 8);
  return is_in;
}

// The value that is stored.
static double store_double(double v, enum dtype t, char *at) {
  uint16_t half;
  float f;
  switch (t) {
  case DTYPE_F16:
    half = dtype_f16_from_double(v);
    memcpy(at, &half, sizeof half);
    return dtype_f16_to_float(half);
  case DTYPE_F32:
    f = (float)v;
    memcpy(at, &f, sizeof f);
    return f;
  default: memcpy(at, &v, sizeof v); return v;
  }
}

static const double BEYOND_U64 = 18446744073709551616.0;

static bool whole_of(double v, struct whole *out) {
  if (v != trunc(v) || v < -BEYOND_U64 / 2 || v >= BEYOND_U64)
    return false;
  out->is_negative = v < 0;
  out->bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
  return true;
}

static bool store_whole_as_double(struct whole w, enum dtype t, char *at) {
  struct whole back;
  double v = w.is_negative ? (double)(int64_t)w.bits : (double)w.bits;
  return whole_of(store_double(v, t, at), &back) && back.bits == w.bits &&
         back.is_negative == w.is_negative;
}

static bool cast_one(const char *from, enum dtype t, enum dtype to, char *at) {
  struct whole w;
  if (dtype_kind(t) != 'f') {
    w = load_whole(from, t);
    return dtype_kind(to) == 'f' ? store_whole_as_double(w, to, at)
                                 : store_whole(w, to, at);
  }
  double v = load_double(from, t);
  if (dtype_kind(to) == 'f')
    return !isinf(store_double(v, to, at)) == !isinf(v);
  if (isnan(v)) // it is missing
    return store_whole((struct whole){0}, to, at);
  return whole_of(v, &w) && store_whole(w, to, at);
}

bool arrow_cast_numbers(const struct arrow_written *c, int64_t rows,
                        enum dtype to, void *out) {
  size_t bytes = dtype_bytes(to);
  memset(out, 0, (size_t)rows * bytes);
  for (int64_t i = 0; i < rows; i++) {
    const char *from = at_row(c, i);
    bool is_missing_code = c->texts && load_whole(from, c->dtype).is_negative;
    if (!is_missing_code &&
        !cast_one(from, c->dtype, to, (char *)out + (size_t)i * bytes))
      return false;
  }
  return true;
}

// ---- Texts ----

static int32_t code_at(const struct arrow_written *c, int64_t row) {
  int32_t code;
  memcpy(&code, at_row(c, row), sizeof code);
  return code;
}

static const char *text_at(const struct arrow_written *c, int64_t row,
                           size_t *n) {
  int32_t code = code_at(c, row);
  *n = 0;
  return code < 0 ? "" : texts_get(c->texts, code, n);
}

int64_t arrow_cast_bytes(const struct arrow_written *c, int64_t rows) {
  int64_t all = 0;
  for (int64_t i = 0; i < rows; i++) {
    size_t n;
    text_at(c, i, &n);
    all += (int64_t)n;
  }
  return all;
}

void arrow_cast_texts(const struct arrow_written *c, int64_t rows, size_t width,
                      char *offsets, char *bytes) {
  int64_t at = 0;
  memcpy(offsets, &at, width);
  for (int64_t i = 0; i < rows; i++) {
    size_t n;
    const char *text = text_at(c, i, &n);
    memcpy(bytes + at, text, n);
    at += (int64_t)n;
    memcpy(offsets + (size_t)(i + 1) * width, &at, width);
  }
}

void arrow_cast_views(const struct arrow_written *c, int64_t rows,
                      const int64_t *begins, const char *bytes, char *views) {
  enum { WITHIN = 12, BYTES = 16 };
  memset(views, 0, (size_t)rows * BYTES);
  for (int64_t i = 0; i < rows; i++) {
    int32_t code = code_at(c, i);
    if (code < 0)
      continue;
    int32_t view[4] = {(int32_t)(begins[code + 1] - begins[code])};
    const char *text = bytes + begins[code];
    if (view[0] <= WITHIN) {
      memcpy(&view[1], text, (size_t)view[0]);
    } else {
      memcpy(&view[1], text, 4);
      view[3] = (int32_t)begins[code];
    }
    memcpy(views + i * BYTES, view, sizeof view);
  }
}
