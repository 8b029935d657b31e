// SPDX-License-Identifier: Apache-2.0
// Arrow's values as frame's: bits as bools, missing ones as NaN or -1, texts and dates as
// codes into a dictionary. What offsets, views and codes say is checked here.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/arrow/arrow_time.h"

static bool bit(const uint8_t *bits, int64_t i) {
  return bits[i >> 3] >> (i & 7) & 1;
}

static bool is_there(const struct arrow_piece *p, int64_t row) {
  return !p->validity || bit(p->validity, p->first + row);
}

static bool is_any_missing(const struct arrow_piece *p) {
  for (int64_t i = 0; p->validity && i < p->rows; i++) {
    bool is_byte = ((p->first + i) & 7) == 0 && p->rows - i >= 8;
    if (is_byte && p->validity[(p->first + i) >> 3] == 0xff)
      i += 7;
    else if (!is_there(p, i))
      return true;
  }
  return false;
}

static int64_t load_whole(const void *values, enum dtype t, int64_t i) {
  size_t bytes = dtype_bytes(t);
  uint64_t v = 0;
  memcpy(&v, (const char *)values + i * (int64_t)bytes, bytes);
  int spare = 64 - 8 * (int)bytes;
  return dtype_kind(t) == 'u' || !spare ? (int64_t)v
                                        : (int64_t)(v << spare) >> spare;
}

static double load_double(const void *values, enum dtype t, int64_t i) {
  float f;
  double d;
  uint16_t half;
  switch (t) {
  case DTYPE_F16:
    memcpy(&half, (const char *)values + 2 * i, sizeof half);
    return dtype_f16_to_float(half);
  case DTYPE_F32: memcpy(&f, (const char *)values + 4 * i, sizeof f); return f;
  case DTYPE_F64: memcpy(&d, (const char *)values + 8 * i, sizeof d); return d;
  case DTYPE_U64: return (double)(uint64_t)load_whole(values, t, i);
  default: return (double)load_whole(values, t, i);
  }
}

// At that place of a piece, the column's or its dictionary's.
static enum err broken(struct err_info *e, const struct arrow_column *c,
                       const struct arrow_piece *p, int64_t at,
                       const char *what) {
  int k = 0;
  int64_t row = at;
  for (; k < c->pieces->count && p != &c->pieces->list[k]; k++)
    row += c->pieces->list[k].rows;
  bool is_row = k < c->pieces->count;
  return err_set(e, ERR_ARGUMENT,
                 "it is broken: column \"%.200s\", %s %lld: %s", c->field->name,
                 is_row ? "row" : "its dictionary's text",
                 (long long)(is_row ? row : at), what);
}

// ---- Where a row's value lies ----

// The place of a row's value in `in`, the piece itself or one of its dictionary's;
// -1: it is missing.
static enum err find_value(const struct arrow_column *c,
                           const struct arrow_piece *p, int64_t row,
                           const struct arrow_piece **in, int64_t *at,
                           struct err_info *e) {
  *in = p;
  *at = -1;
  if (!is_there(p, row))
    return ERR_OK;
  if (c->field->codes == DTYPE_COUNT) {
    *at = row;
    return ERR_OK;
  }
  int64_t code = load_whole(p->values, c->field->codes, p->first + row);
  const struct arrow_pieces *d = p->dictionary;
  for (int i = 0; code >= 0 && i < d->count; code -= d->list[i++].rows)
    if (code < d->list[i].rows) {
      *in = &d->list[i];
      *at = is_there(*in, code) ? code : -1;
      return ERR_OK;
    }
  return broken(e, c, p, row, "a code is not in its dictionary");
}

// ---- What the column becomes ----

static bool has_missing(const struct arrow_field *f,
                        const struct arrow_pieces *pieces) {
  bool found = false;
  for (int i = 0; i < pieces->count && !found; i++) {
    const struct arrow_piece *p = &pieces->list[i];
    found = is_any_missing(p);
    // Where a dictionary has a missing one, a row may have it.
    for (int k = 0; f->codes != DTYPE_COUNT && p->dictionary && !found &&
                    k < p->dictionary->count;
         k++)
      found = is_any_missing(&p->dictionary->list[k]);
  }
  return found;
}

static void choose_type(struct arrow_column *c, bool some_missing) {
  const struct arrow_field *f = c->field;
  c->dtype = f->dtype;
  switch (f->kind) {
  case ARROW_TEXT:
  case ARROW_TIME: c->type = "str"; return;
  case ARROW_BOOL:
    if (some_missing)
      c->dtype = DTYPE_F64;
    c->type = some_missing ? "object" : "bool";
    return;
  case ARROW_NUMBER:
    if (some_missing && dtype_kind(f->dtype) != 'f')
      c->dtype = DTYPE_F64;
    break;
  default: c->dtype = DTYPE_F64;
  }
  c->type = dtype_name(c->dtype);
}

enum err arrow_column_begin(const struct arrow_field *f,
                            const struct arrow_pieces *pieces,
                            struct arrow_column *out, struct err_info *e) {
  *out = (struct arrow_column){.field = f, .pieces = pieces};
  if (f->kind == ARROW_OTHER)
    return err_set(e, ERR_UNSUPPORTED,
                   "column \"%.200s\": its type is %s, and frame has numbers, "
                   "bools, texts and dates (as texts); {columns = {...}} "
                   "leaves it out",
                   f->name, f->type);
  for (int i = 0; i < pieces->count; i++)
    out->rows += pieces->list[i].rows;
  choose_type(out, has_missing(f, pieces));
  return ERR_OK;
}

const void *arrow_column_in_place(const struct arrow_column *c) {
  const struct arrow_field *f = c->field;
  if (c->pieces->count != 1 || f->kind != ARROW_NUMBER ||
      f->codes != DTYPE_COUNT || c->dtype != f->dtype)
    return NULL;
  const struct arrow_piece *p = &c->pieces->list[0];
  size_t bytes = dtype_bytes(c->dtype);
  const uint8_t *at = p->values + p->first * (int64_t)bytes;
  return !is_any_missing(p) && (uintptr_t)at % bytes == 0 ? at : NULL;
}

// ---- Numbers and bools ----

static void store_missing(enum dtype t, void *out, int64_t i) {
  static const uint16_t half = 0x7e00;
  switch (t) {
  case DTYPE_F16: memcpy((char *)out + 2 * i, &half, 2); break;
  case DTYPE_F32: ((float *)out)[i] = NAN; break;
  default: ((double *)out)[i] = NAN;
  }
}

static void store_value(const struct arrow_column *c,
                        const struct arrow_piece *in, int64_t at, void *out,
                        int64_t i) {
  size_t bytes = dtype_bytes(c->dtype);
  at += in->first;
  if (c->field->kind == ARROW_BOOL && c->dtype == DTYPE_BOOL)
    ((uint8_t *)out)[i] = bit(in->values, at);
  else if (c->field->kind == ARROW_BOOL)
    ((double *)out)[i] = bit(in->values, at);
  else if (c->dtype == c->field->dtype)
    memcpy((char *)out + i * (int64_t)bytes, in->values + at * (int64_t)bytes,
           bytes);
  else
    ((double *)out)[i] = load_double(in->values, c->field->dtype, at);
}

static bool is_plain(const struct arrow_column *c,
                     const struct arrow_piece *p) {
  return c->field->kind == ARROW_NUMBER && c->field->codes == DTYPE_COUNT &&
         c->dtype == c->field->dtype && !is_any_missing(p);
}

static enum err fill_values(const struct arrow_column *c, void *out,
                            struct err_info *e) {
  size_t bytes = dtype_bytes(c->dtype);
  int64_t to = 0;
  for (int k = 0; k < c->pieces->count; k++) {
    const struct arrow_piece *p = &c->pieces->list[k], *in;
    bool is_copied = p->rows && is_plain(c, p);
    if (is_copied)
      memcpy((char *)out + to * (int64_t)bytes,
             p->values + p->first * (int64_t)bytes, (size_t)p->rows * bytes);
    for (int64_t row = 0, at; row < p->rows && !is_copied; row++) {
      enum err err = find_value(c, p, row, &in, &at, e);
      if (err)
        return err;
      if (at < 0 || c->field->kind == ARROW_NULL)
        store_missing(c->dtype, out, to + row);
      else
        store_value(c, in, at, out, to + row);
    }
    to += p->rows;
  }
  return ERR_OK;
}

// ---- Texts ----

static enum err find_view(const struct arrow_column *c,
                          const struct arrow_piece *p, int64_t at,
                          struct arrow_bytes *out, struct err_info *e) {
  int32_t v[4];
  const uint8_t *view = p->values + 16 * (p->first + at);
  memcpy(v, view, sizeof v);
  *out = (struct arrow_bytes){view + 4, v[0]};
  if (v[0] >= 0 && v[0] <= 12)
    return ERR_OK;
  if (v[0] < 0 || v[2] < 0 || v[2] >= p->more_count || v[3] < 0 ||
      (int64_t)v[3] + v[0] > p->more[v[2]].n)
    return broken(e, c, p, at, "a text lies outside of it");
  out->data = p->more[v[2]].data + v[3];
  return ERR_OK;
}

static enum err find_text(const struct arrow_column *c,
                          const struct arrow_piece *p, int64_t at,
                          struct arrow_bytes *out, struct err_info *e) {
  if (!c->field->width)
    return find_view(c, p, at, out, e);
  enum dtype t = c->field->width == 4 ? DTYPE_I32 : DTYPE_I64;
  int64_t from = load_whole(p->values, t, p->first + at);
  int64_t to = load_whole(p->values, t, p->first + at + 1);
  if (from < 0 || to < from || to > p->text.n)
    return broken(e, c, p, at, "a text lies outside of it");
  *out = (struct arrow_bytes){p->text.data + from, to - from};
  return ERR_OK;
}

static enum err add_text(const struct arrow_column *c,
                         const struct arrow_piece *p, int64_t at,
                         struct texts *texts, int32_t *code,
                         struct err_info *e) {
  struct arrow_bytes b = {0};
  char room[ARROW_TIME_TEXT];
  if (c->field->kind == ARROW_TIME) {
    enum dtype t = c->field->width == 4 ? DTYPE_I32 : DTYPE_I64;
    int64_t v = load_whole(p->values, t, p->first + at);
    size_t n = arrow_time_text(c->field, v, room);
    *code = texts_add(texts, room, n);
  } else {
    if (find_text(c, p, at, &b, e))
      return ERR_ARGUMENT;
    *code = texts_add(texts, b.n ? (const char *)b.data : "", (size_t)b.n);
  }
  return *code < 0 ? ERR_NOMEM : ERR_OK;
}

static enum err say(enum err err, const struct arrow_column *c,
                    struct err_info *e) {
  if (err == ERR_NOMEM)
    return err_set(e, err,
                   "there is no memory for the texts of column "
                   "\"%.200s\"",
                   c->field->name);
  return err;
}

// The codes of a dictionary's texts in `texts`, each added once; freed by the caller.
struct renamed {
  const struct arrow_pieces *of;
  int32_t *codes;
  int64_t count;
};

static enum err rename_all(const struct arrow_column *c,
                           const struct arrow_pieces *d, struct texts *texts,
                           struct renamed *r, struct err_info *e) {
  int64_t n = 0, i = 0;
  for (int k = 0; k < d->count; k++)
    n += d->list[k].rows;
  free(r->codes);
  *r = (struct renamed){d, try_malloc((size_t)n * sizeof *r->codes + 1), n};
  if (!r->codes)
    return ERR_NOMEM;
  enum err err = ERR_OK;
  for (int k = 0; k < d->count && !err; k++)
    for (int64_t at = 0; at < d->list[k].rows && !err; at++, i++) {
      r->codes[i] = -1;
      if (is_there(&d->list[k], at))
        err = add_text(c, &d->list[k], at, texts, &r->codes[i], e);
    }
  return err;
}

static enum err fill_codes(const struct arrow_column *c,
                           const struct arrow_piece *p, const struct renamed *r,
                           int32_t *out, struct err_info *e) {
  for (int64_t row = 0; row < p->rows; row++) {
    out[row] = -1;
    if (!is_there(p, row))
      continue;
    int64_t code = load_whole(p->values, c->field->codes, p->first + row);
    if (code < 0 || code >= r->count)
      return broken(e, c, p, row, "a code is not in its dictionary");
    out[row] = r->codes[code];
  }
  return ERR_OK;
}

static enum err fill_texts(const struct arrow_column *c, int32_t *out,
                           struct texts *texts, struct err_info *e) {
  struct renamed r = {0};
  enum err err = ERR_OK;
  for (int k = 0; k < c->pieces->count && !err; k++) {
    const struct arrow_piece *p = &c->pieces->list[k];
    if (c->field->codes != DTYPE_COUNT && p->rows) {
      if (p->dictionary != r.of)
        err = say(rename_all(c, p->dictionary, texts, &r, e), c, e);
      if (!err)
        err = fill_codes(c, p, &r, out, e);
    }
    for (int64_t row = 0;
         c->field->codes == DTYPE_COUNT && row < p->rows && !err; row++) {
      out[row] = -1;
      if (is_there(p, row))
        err = say(add_text(c, p, row, texts, &out[row], e), c, e);
    }
    out += p->rows;
  }
  free(r.codes);
  return err;
}

enum err arrow_column_fill(const struct arrow_column *c, void *out,
                           struct texts *texts, struct err_info *e) {
  return c->field->kind == ARROW_TEXT || c->field->kind == ARROW_TIME
             ? fill_texts(c, out, texts, e)
             : fill_values(c, out, e);
}
