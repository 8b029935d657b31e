// SPDX-License-Identifier: Apache-2.0
// Columns as an Arrow stream, or a file: the schema, all rows as one batch, the end. A
// column's buffers (which values are there, offsets, values) are made one by one, at
// multiples of 64 bytes.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/arrow/arrow_schema.h"

enum { VERSION_5 = 4, ALIGN = 64, MOST_BUFFERS = 3, CHUNK = 1 << 16 };

struct part { // of a column: what its buffers are
  int64_t missing, text_bytes;
  uint8_t *present; // bits; NULL: all are there
  int width;        // of offsets
};

struct writing {
  const struct arrow_written *columns;
  int count;
  int64_t rows;
  const struct arrow_sink *sink;
  struct part *parts;
  int64_t at; // bytes that were written
};

struct node {
  int64_t rows, missing;
};
struct buffer {
  int64_t offset, bytes;
};
struct block {
  int64_t offset;
  int32_t meta_bytes, zero;
  int64_t body_bytes;
};

// ---- Values ----

static const void *value_at(const struct arrow_written *c, int64_t row) {
  return (const char *)c->values + row * c->stride;
}

static bool is_missing(const struct arrow_written *c, int64_t row) {
  const void *p = value_at(c, row);
  if (c->texts)
    return *(const int32_t *)p < 0;
  switch (c->dtype) {
  case DTYPE_F64: return *(const double *)p != *(const double *)p;
  case DTYPE_F32: return *(const float *)p != *(const float *)p;
  case DTYPE_F16: return (*(const uint16_t *)p & 0x7fff) > 0x7c00;
  default: return false;
  }
}

int64_t arrow_mark_present(const struct arrow_written *c, int64_t rows,
                           uint8_t *bits) {
  int64_t missing = 0;
  memset(bits, 0, (size_t)(rows + 7) / 8);
  for (int64_t i = 0; i < rows; i++)
    if (is_missing(c, i))
      missing++;
    else
      bits[i >> 3] |= (uint8_t)(1 << (i & 7));
  return missing;
}

static bool is_bool(const struct arrow_written *c) {
  return c->is_object || c->dtype == DTYPE_BOOL;
}

static bool is_true(const struct arrow_written *c, int64_t row) {
  return c->is_object ? *(const double *)value_at(c, row) == 1
                      : *(const uint8_t *)value_at(c, row) != 0;
}

static const char *text_at(const struct arrow_written *c, int64_t row,
                           size_t *n) {
  int32_t code = *(const int32_t *)value_at(c, row);
  *n = 0;
  return code < 0 ? "" : texts_get(c->texts, code, n);
}

static bool make_part(const struct arrow_written *c, int64_t rows,
                      struct part *p) {
  p->present = try_malloc((size_t)(rows + 7) / 8 + 1);
  if (!p->present)
    return false;
  p->missing = arrow_mark_present(c, rows, p->present);
  for (int64_t i = 0; c->texts && i < rows; i++) {
    size_t n;
    text_at(c, i, &n);
    p->text_bytes += (int64_t)n;
  }
  p->width = p->text_bytes > INT32_MAX ? 8 : 4;
  return true;
}

// How long a column's buffers are; returns how many it has.
static int buffer_sizes(const struct writing *w, int i,
                        int64_t sizes[MOST_BUFFERS]) {
  const struct arrow_written *c = &w->columns[i];
  const struct part *p = &w->parts[i];
  int64_t bits = (w->rows + 7) / 8;
  sizes[0] = p->missing ? bits : 0;
  sizes[1] = c->texts     ? (w->rows + 1) * p->width
             : is_bool(c) ? bits
                          : w->rows * (int64_t)dtype_bytes(c->dtype);
  sizes[2] = p->text_bytes;
  return c->texts ? 3 : 2;
}

static int64_t padded(int64_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

// ---- Metadata ----

static int64_t type_of(const struct arrow_written *c, const struct part *p) {
  if (c->texts)
    return p->width == 8 ? TYPE_LARGE_UTF8 : TYPE_UTF8;
  if (is_bool(c))
    return TYPE_BOOL;
  return dtype_kind(c->dtype) == 'f' ? TYPE_FLOAT : TYPE_INT;
}

static size_t put_type(struct flat_out *o, const struct arrow_written *c,
                       int64_t type) {
  flat_begin(o);
  if (type == TYPE_FLOAT)
    flat_add_number(o, 0, 2,
                    dtype_bytes(c->dtype) == 8   ? 2
                    : dtype_bytes(c->dtype) == 4 ? 1
                                                 : 0);
  if (type == TYPE_INT) {
    flat_add_number(o, 0, 4, 8 * (int64_t)dtype_bytes(c->dtype));
    flat_add_number(o, 1, 1, dtype_kind(c->dtype) == 'i');
  }
  return flat_end(o);
}

static size_t put_field(struct flat_out *o, const struct arrow_written *c,
                        const struct part *p) {
  int64_t type = type_of(c, p);
  size_t name = flat_put_text(o, c->name, c->name_bytes);
  size_t children = flat_put_places(o, NULL, 0);
  size_t type_place = put_type(o, c, type);
  flat_begin(o);
  flat_add_place(o, 0, name);
  flat_add_place(o, 3, type_place);
  flat_add_place(o, 5, children);
  flat_add_number(o, 1, 1, 1); // may be missing
  flat_add_number(o, 2, 1, type);
  return flat_end(o);
}

static size_t put_schema(struct flat_out *o, const struct writing *w) {
  size_t *fields = xcalloc((size_t)w->count + 1, sizeof *fields);
  for (int i = 0; i < w->count; i++)
    fields[i] = put_field(o, &w->columns[i], &w->parts[i]);
  size_t all = flat_put_places(o, fields, (size_t)w->count);
  free(fields);
  flat_begin(o);
  flat_add_place(o, 1, all);
  return flat_end(o);
}

static size_t put_batch(struct flat_out *o, const struct writing *w,
                        int64_t *body) {
  struct node *nodes = xcalloc((size_t)w->count + 1, sizeof *nodes);
  struct buffer *buffers =
      xcalloc(MOST_BUFFERS * (size_t)w->count + 1, sizeof *buffers);
  size_t count = 0;
  *body = 0;
  for (int i = 0; i < w->count; i++) {
    int64_t sizes[MOST_BUFFERS];
    nodes[i] = (struct node){w->rows, w->parts[i].missing};
    int n = buffer_sizes(w, i, sizes);
    for (int k = 0; k < n; k++) {
      buffers[count++] = (struct buffer){*body, sizes[k]};
      *body += padded(sizes[k]);
    }
  }
  size_t all = flat_put_structs(o, buffers, sizeof *buffers, count);
  size_t node_place =
      flat_put_structs(o, nodes, sizeof *nodes, (size_t)w->count);
  free(nodes);
  free(buffers);
  flat_begin(o);
  flat_add_number(o, 0, 8, w->rows);
  flat_add_place(o, 1, node_place);
  flat_add_place(o, 2, all);
  return flat_end(o);
}

static void finish_message(struct flat_out *o, int kind, size_t header,
                           int64_t body) {
  flat_begin(o);
  flat_add_number(o, 3, 8, body);
  flat_add_place(o, 2, header);
  flat_add_number(o, 0, 2, VERSION_5);
  flat_add_number(o, 1, 1, kind);
  flat_finish(o, flat_end(o));
}

// ---- Bytes ----

static enum err add(struct writing *w, const void *data, size_t n,
                    struct err_info *e) {
  w->at += (int64_t)n;
  return n ? w->sink->add(w->sink->context, data, n, e) : ERR_OK;
}

static enum err add_zeros(struct writing *w, int64_t from, struct err_info *e) {
  static const uint8_t zeros[ALIGN];
  return add(w, zeros, (size_t)(padded(from) - from), e);
}

static enum err add_message(struct writing *w, const struct flat_out *o,
                            struct err_info *e) {
  uint32_t prefix[2] = {UINT32_MAX, (uint32_t)o->n};
  enum err err = add(w, prefix, sizeof prefix, e);
  return err ? err : add(w, flat_out_data(o), o->n, e);
}

// Bits of bools, a chunk at a time.
static enum err add_bits(struct writing *w, const struct arrow_written *c,
                         struct err_info *e) {
  uint8_t bits[CHUNK / 8];
  enum err err = ERR_OK;
  for (int64_t from = 0; from < w->rows && !err; from += CHUNK) {
    int64_t n = w->rows - from < CHUNK ? w->rows - from : CHUNK;
    memset(bits, 0, sizeof bits);
    for (int64_t i = 0; i < n; i++)
      bits[i >> 3] |= (uint8_t)(is_true(c, from + i) << (i & 7));
    err = add(w, bits, (size_t)(n + 7) / 8, e);
  }
  return err;
}

static enum err add_numbers(struct writing *w, const struct arrow_written *c,
                            struct err_info *e) {
  size_t bytes = dtype_bytes(c->dtype), most = CHUNK / bytes;
  uint8_t room[CHUNK];
  enum err err = ERR_OK;
  for (int64_t from = 0; from < w->rows && !err; from += (int64_t)most) {
    size_t n =
        (size_t)(w->rows - from) < most ? (size_t)(w->rows - from) : most;
    if (c->stride == (int64_t)bytes) {
      err = add(w, value_at(c, from), n * bytes, e);
      continue;
    }
    for (size_t i = 0; i < n; i++)
      memcpy(room + i * bytes, value_at(c, from + (int64_t)i), bytes);
    err = add(w, room, n * bytes, e);
  }
  return err;
}

static enum err add_offsets(struct writing *w, const struct arrow_written *c,
                            int width, struct err_info *e) {
  uint8_t room[CHUNK];
  size_t n = 0, bytes;
  int64_t at = 0;
  enum err err = ERR_OK;
  for (int64_t row = 0; row <= w->rows && !err; row++) {
    memcpy(room + n, &at, (size_t)width); // the low bytes
    n += (size_t)width;
    if (row < w->rows) {
      text_at(c, row, &bytes);
      at += (int64_t)bytes;
    }
    if (n == sizeof room || row == w->rows) {
      err = add(w, room, n, e);
      n = 0;
    }
  }
  return err;
}

static enum err add_texts(struct writing *w, const struct arrow_written *c,
                          struct err_info *e) {
  uint8_t room[CHUNK];
  size_t n = 0, bytes;
  enum err err = ERR_OK;
  for (int64_t row = 0; row < w->rows && !err; row++) {
    const char *text = text_at(c, row, &bytes);
    if (n + bytes > sizeof room) {
      err = add(w, room, n, e);
      n = 0;
    }
    if (bytes > sizeof room)
      err = err ? err : add(w, text, bytes, e);
    else if (bytes)
      memcpy(room + n, text, bytes), n += bytes;
  }
  return err ? err : add(w, room, n, e);
}

static enum err add_column(struct writing *w, int i, struct err_info *e) {
  const struct arrow_written *c = &w->columns[i];
  const struct part *p = &w->parts[i];
  int64_t sizes[MOST_BUFFERS];
  int n = buffer_sizes(w, i, sizes);
  enum err err = add(w, p->present, (size_t)sizes[0], e);
  if (!err)
    err = add_zeros(w, sizes[0], e);
  if (!err)
    err = c->texts     ? add_offsets(w, c, p->width, e)
          : is_bool(c) ? add_bits(w, c, e)
                       : add_numbers(w, c, e);
  if (!err)
    err = add_zeros(w, sizes[1], e);
  if (!err && n == 3)
    err = add_texts(w, c, e);
  return err || n < 3 ? err : add_zeros(w, sizes[2], e);
}

static enum err add_schema(struct writing *w, struct err_info *e) {
  struct flat_out o = {0};
  finish_message(&o, ARROW_SCHEMA, put_schema(&o, w), 0);
  enum err err = add_message(w, &o, e);
  flat_out_free(&o);
  return err;
}

static enum err add_batch(struct writing *w, struct block *b,
                          struct err_info *e) {
  struct flat_out o = {0};
  size_t batch = put_batch(&o, w, &b->body_bytes);
  finish_message(&o, ARROW_RECORD_BATCH, batch, b->body_bytes);
  b->offset = w->at;
  b->meta_bytes = (int32_t)o.n + 8;
  enum err err = add_message(w, &o, e);
  flat_out_free(&o);
  for (int i = 0; i < w->count && !err; i++)
    err = add_column(w, i, e);
  return err;
}

static enum err add_footer(struct writing *w, const struct block *b,
                           struct err_info *e) {
  struct flat_out o = {0};
  size_t schema = put_schema(&o, w);
  size_t batches = flat_put_structs(&o, b, sizeof *b, 1);
  size_t dictionaries = flat_put_structs(&o, NULL, sizeof *b, 0);
  flat_begin(&o);
  flat_add_place(&o, 1, schema);
  flat_add_place(&o, 2, dictionaries);
  flat_add_place(&o, 3, batches);
  flat_add_number(&o, 0, 2, VERSION_5);
  flat_finish(&o, flat_end(&o));
  uint32_t bytes = (uint32_t)o.n;
  enum err err = add(w, flat_out_data(&o), o.n, e);
  flat_out_free(&o);
  if (!err)
    err = add(w, &bytes, sizeof bytes, e);
  return err ? err : add(w, "ARROW1", 6, e);
}

static enum err add_all(struct writing *w, struct err_info *e) {
  static const uint32_t end[2] = {UINT32_MAX, 0};
  struct block b = {0};
  enum err err = w->sink->is_file ? add(w, "ARROW1\0", 8, e) : ERR_OK;
  if (!err)
    err = add_schema(w, e);
  if (!err)
    err = add_batch(w, &b, e);
  if (!err)
    err = add(w, end, sizeof end, e);
  return err || !w->sink->is_file ? err : add_footer(w, &b, e);
}

enum err arrow_write(const struct arrow_written *columns, int count,
                     int64_t rows, const struct arrow_sink *sink,
                     struct err_info *e) {
  struct writing w = {columns, count, rows, sink, NULL, 0};
  enum err err = ERR_OK;
  w.parts = xcalloc((size_t)count + 1, sizeof *w.parts);
  for (int i = 0; i < count && !err; i++)
    if (!make_part(&columns[i], rows, &w.parts[i]))
      err = err_set(e, ERR_NOMEM, "there is no memory for column \"%.200s\"",
                    columns[i].name);
  if (!err)
    err = add_all(&w, e);
  for (int i = 0; i < count; i++)
    free(w.parts[i].present);
  free(w.parts);
  return err;
}
