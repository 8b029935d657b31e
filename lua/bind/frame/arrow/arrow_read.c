// SPDX-License-Identifier: Apache-2.0
// Arrow's IPC format: files and streams of messages, each a table of metadata and a body
// of buffers. Layout: "Arrow Columnar Format", Serialization and Interprocess
// Communication; tables: Message.fbs, File.fbs.
//
// Theory of operation: a stream is gone through once. In a file dictionaries may stand
// behind what needs them, so its footer is followed, dictionaries first. A batch is
// taken apart by the layout of each field (arrow_schema.c); of a field that is wanted,
// the buffers become a piece, whose lengths are compared with its rows then. What
// buffers hold is looked at when values are made (arrow_fill.c).
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/arrow/arrow_schema.h"
#include "lua/bind/frame/arrow/arrow_unpack.h"

enum { MESSAGE_VERSION, MESSAGE_KIND, MESSAGE_HEADER, MESSAGE_BODY };
enum { BATCH_ROWS, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_VIEWS };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_IS_DELTA };
enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES };
enum { NODE_BYTES = 16, BUFFER_BYTES = 16, BLOCK_BYTES = 24, MAGIC_BYTES = 6 };

static const char MAGIC[] = "ARROW1";

struct dictionary {
  int64_t id;
  const struct arrow_field *of; // whose values it was read as
  struct arrow_pieces *pieces;
};

struct arrow_file {
  const uint8_t *data;
  size_t n, at; // at: of the next message
  size_t seen;  // bytes of all messages that were read
  bool is_file;
  struct flat footer; // of a file
  size_t footer_root;
  struct arrow_slot *slots;
  struct arrow_pieces *columns; // a list for each slot
  const bool *is_wanted;
  int count;
  struct dictionary *dictionaries;
  size_t dictionary_count;
  struct arrow_owned owned;
  int64_t rows;
};

struct message {
  struct flat meta;
  size_t header;
  int kind;
  struct arrow_bytes body;
};

static enum err broken(struct err_info *e, const char *what) {
  return err_set(e, ERR_ARGUMENT, "it is broken: %s", what);
}

// ---- Pieces ----

static void add_piece(struct arrow_pieces *p, const struct arrow_piece *one) {
  if ((p->count & (p->count - 1)) == 0) // 0, 1, 2, 4 ...: it is full
    p->list = xrealloc(p->list,
                       (size_t)(p->count ? 2 * p->count : 1) * sizeof *p->list);
  p->list[p->count++] = *one;
}

// ---- Messages ----

// The message at `at`; kind 0: there is none any more. `at` moves behind it.
static enum err read_message(struct arrow_file *f, size_t *at,
                             struct message *m, struct err_info *e) {
  uint32_t words[2] = {0, 0};
  size_t left = f->n - *at, prefix = 4;
  memset(m, 0, sizeof *m);
  if (left < 4)
    return ERR_OK;
  memcpy(words, f->data + *at, left < 8 ? 4 : 8);
  uint32_t bytes = words[0];
  if (words[0] == UINT32_MAX) { // since version 0.15
    bytes = words[1];
    prefix = 8;
  }
  if (!bytes) { // the end of a stream
    *at += left < prefix ? left : prefix;
    return ERR_OK;
  }
  if (left < prefix || bytes > left - prefix)
    return broken(e, "it ends within a message");
  m->meta = (struct flat){.data = f->data + *at + prefix, .n = bytes};
  size_t root = flat_root(&m->meta);
  int64_t body = flat_number(&m->meta, root, MESSAGE_BODY, 8, 0);
  m->kind = (int)(uint8_t)flat_number(&m->meta, root, MESSAGE_KIND, 1, 0);
  m->header = flat_table(&m->meta, root, MESSAGE_HEADER);
  left -= prefix + bytes;
  if (m->meta.is_broken || !m->header)
    return broken(e, "a message cannot be read");
  if (body < 0 || (size_t)body > left)
    return broken(e, "it ends within a message's values");
  m->body = (struct arrow_bytes){m->meta.data + bytes, body};
  size_t whole = prefix + bytes + (size_t)body;
  *at += whole;
  f->seen += whole;
  // Each is there once, or a small file becomes any number of rows.
  if (f->seen > f->n)
    return broken(e, "its footer leads to a batch twice");
  return ERR_OK;
}

// ---- Batches ----

struct batch {
  struct arrow_file *f;
  struct flat *meta;
  struct arrow_bytes body;
  int64_t rows;
  size_t nodes, node_count, node; // `node`: the next one
  size_t buffers, buffer_count, buffer;
  size_t views, view_count, view;
  enum arrow_codec codec;
  int64_t packed; // bytes of the buffers that were unpacked
};

static enum err begin_batch(struct batch *b, size_t table, struct err_info *e) {
  struct flat *m = b->meta;
  size_t packed = flat_table(m, table, BATCH_COMPRESSION);
  int64_t codec = packed ? flat_number(m, packed, 0, 1, 0) : ARROW_PLAIN;
  b->rows = flat_number(m, table, BATCH_ROWS, 8, 0);
  b->nodes = flat_vector(m, table, BATCH_NODES, NODE_BYTES, &b->node_count);
  b->buffers =
      flat_vector(m, table, BATCH_BUFFERS, BUFFER_BYTES, &b->buffer_count);
  b->views = flat_vector(m, table, BATCH_VIEWS, 8, &b->view_count);
  b->codec = (enum arrow_codec)codec;
  if (m->is_broken || b->rows < 0 || b->rows > ARROW_MOST)
    return broken(e, "a batch of rows cannot be read");
  if (codec < 0 || codec > ARROW_PLAIN)
    return err_set(e, ERR_UNSUPPORTED,
                   "its columns are packed in a way that is neither LZ4 nor "
                   "Zstandard");
  return ERR_OK;
}

static enum err next_buffer(struct batch *b, struct arrow_bytes *out,
                            struct err_info *e) {
  if (b->buffer >= b->buffer_count)
    return broken(e, "a batch has too few buffers");
  size_t at = b->buffers + b->buffer++ * BUFFER_BYTES;
  int64_t offset = flat_i64(b->meta, at), n = flat_i64(b->meta, at + 8);
  if (offset < 0 || n < 0 || offset > b->body.n || n > b->body.n - offset)
    return broken(e, "a column's values lie outside of it");
  *out = (struct arrow_bytes){b->body.data + offset, n};
  if (b->codec == ARROW_PLAIN)
    return ERR_OK;
  b->packed += n;
  // Each has its own, or a few packed bytes become any number of columns.
  if (b->packed > b->body.n)
    return broken(e, "a column's packed values lie in another's");
  return arrow_unpack(b->codec, out, &b->f->owned, e);
}

static size_t next_views(struct batch *b) {
  if (b->view >= b->view_count)
    return 0;
  int64_t n = flat_i64(b->meta, b->views + 8 * b->view++);
  return n < 0 || (size_t)n > b->buffer_count ? b->buffer_count + 1 : (size_t)n;
}

// Bytes that `rows` values need in the second buffer.
static int64_t bytes_of_values(const struct arrow_field *f, int64_t rows) {
  if (f->codes != DTYPE_COUNT)
    return rows * (int64_t)dtype_bytes(f->codes);
  switch (f->kind) {
  case ARROW_BOOL: return (rows + 7) / 8;
  case ARROW_NUMBER: return rows * (int64_t)dtype_bytes(f->dtype);
  case ARROW_TIME: return rows * f->width;
  case ARROW_TEXT:
    return !f->width ? 16 * rows : rows ? (rows + 1) * f->width : 0;
  default: return 0;
  }
}

static enum err take_text(struct batch *b, const struct arrow_field *f,
                          struct arrow_piece *p, struct err_info *e) {
  if (f->kind != ARROW_TEXT || f->codes != DTYPE_COUNT)
    return ERR_OK;
  if (f->width)
    return next_buffer(b, &p->text, e);
  size_t count = next_views(b);
  if (count > b->buffer_count)
    return broken(e, "a batch has too few buffers");
  struct arrow_bytes *more = xcalloc(count + 1, sizeof *more);
  arrow_own(&b->f->owned, more);
  enum err err = ERR_OK;
  for (size_t i = 0; i < count && !err; i++)
    err = next_buffer(b, &more[i], e);
  p->more = more;
  p->more_count = (int)count;
  return err;
}

static const struct dictionary *dictionary_of(const struct arrow_file *f,
                                              int64_t id) {
  for (size_t i = 0; i < f->dictionary_count; i++)
    if (f->dictionaries[i].id == id)
      return &f->dictionaries[i];
  return NULL;
}

// Several fields may have one dictionary, whose buffers were measured for one of them.
static enum err take_dictionary(const struct arrow_file *file,
                                const struct arrow_field *f,
                                struct arrow_piece *p, struct err_info *e) {
  if (f->codes == DTYPE_COUNT)
    return ERR_OK;
  const struct dictionary *d = dictionary_of(file, f->dictionary_id);
  if (!d)
    return p->rows ? broken(e, "a column's dictionary is not there") : ERR_OK;
  if (d->of->kind != f->kind || d->of->dtype != f->dtype ||
      d->of->width != f->width)
    return broken(e, "columns of several types have one dictionary");
  p->dictionary = d->pieces;
  return ERR_OK;
}

// The field's buffers become a piece of `to`.
static enum err take_piece(struct batch *b, const struct arrow_field *f,
                           struct arrow_pieces *to, struct err_info *e) {
  struct arrow_piece p = {0};
  struct arrow_bytes validity = {0}, values = {0};
  if (b->node >= b->node_count)
    return broken(e, "a batch has too few columns");
  p.rows = flat_i64(b->meta, b->nodes + b->node++ * NODE_BYTES);
  if (p.rows != b->rows)
    return broken(e, "its columns are not equally long");
  enum err err = ERR_OK;
  bool has_buffers = f->kind != ARROW_NULL || f->codes != DTYPE_COUNT;
  if (has_buffers && !(err = next_buffer(b, &validity, e)) &&
      !(err = next_buffer(b, &values, e)))
    err = take_text(b, f, &p, e);
  if (err)
    return err;
  if ((validity.n && validity.n < (p.rows + 7) / 8) ||
      values.n < bytes_of_values(f, p.rows))
    return broken(e, "a column has fewer values than rows");
  p.validity = validity.n ? validity.data : NULL;
  p.values = values.data;
  if ((err = take_dictionary(b->f, f, &p, e)))
    return err;
  add_piece(to, &p);
  return ERR_OK;
}

static void pass_slot(struct batch *b, const struct arrow_slot *s) {
  b->node += s->nodes;
  b->buffer += s->buffers;
  for (size_t i = 0; i < s->views; i++)
    b->buffer += next_views(b);
}

static enum err read_batch(struct arrow_file *f, struct message *m,
                           struct err_info *e) {
  struct batch b = {.f = f, .meta = &m->meta, .body = m->body};
  enum err err = begin_batch(&b, m->header, e);
  for (int i = 0; i < f->count && !err; i++)
    if (f->is_wanted[i])
      err = take_piece(&b, &f->slots[i].field, &f->columns[i], e);
    else
      pass_slot(&b, &f->slots[i]);
  f->rows += b.rows;
  if (!err && f->rows > ARROW_MOST)
    err = broken(e, "its batches have too many rows");
  return err;
}

// ---- Dictionaries ----

// The field that is wanted and has this dictionary, or NULL.
static const struct arrow_field *field_of(const struct arrow_file *f,
                                          int64_t id) {
  for (int i = 0; i < f->count; i++) {
    const struct arrow_field *field = &f->slots[i].field;
    if (f->is_wanted[i] && field->codes != DTYPE_COUNT &&
        field->dictionary_id == id)
      return field;
  }
  return NULL;
}

static void free_pieces(struct arrow_pieces *p) {
  if (p)
    free(p->list);
  free(p);
}

// Where the pieces go: a new list, or the old one where these are added to it. Batches
// that were read before keep their list: it is freed with the file.
static struct arrow_pieces *dictionary_to(struct arrow_file *f, int64_t id,
                                          const struct arrow_field *of,
                                          bool is_delta) {
  const struct dictionary *old = dictionary_of(f, id);
  if (old && is_delta)
    return old->pieces;
  struct arrow_pieces *new = xcalloc(1, sizeof *new);
  f->dictionaries = xrealloc(f->dictionaries, (f->dictionary_count + 1) *
                                                  sizeof *f->dictionaries);
  // The newest is the first that is found.
  memmove(f->dictionaries + 1, f->dictionaries,
          f->dictionary_count++ * sizeof *f->dictionaries);
  f->dictionaries[0] = (struct dictionary){id, of, new};
  return new;
}

static enum err read_dictionary(struct arrow_file *f, struct message *m,
                                struct err_info *e) {
  struct flat *meta = &m->meta;
  int64_t id = flat_number(meta, m->header, DICTIONARY_ID, 8, 0);
  size_t data = flat_table(meta, m->header, DICTIONARY_DATA);
  bool is_delta = flat_number(meta, m->header, DICTIONARY_IS_DELTA, 1, 0);
  if (meta->is_broken || !data)
    return broken(e, "a dictionary cannot be read");
  const struct arrow_field *of = field_of(f, id);
  if (!of || of->kind == ARROW_OTHER)
    return ERR_OK;
  struct arrow_field values = *of; // as a column by itself
  values.codes = DTYPE_COUNT;
  struct batch b = {.f = f, .meta = meta, .body = m->body};
  enum err err = begin_batch(&b, data, e);
  return err ? err
             : take_piece(&b, &values, dictionary_to(f, id, of, is_delta), e);
}

// ---- Streams and files ----

static enum err read_stream(struct arrow_file *f, struct err_info *e) {
  for (;;) {
    struct message m;
    enum err err = read_message(f, &f->at, &m, e);
    if (err || !m.kind)
      return err;
    if (m.kind == ARROW_DICTIONARY_BATCH)
      err = read_dictionary(f, &m, e);
    else if (m.kind == ARROW_RECORD_BATCH)
      err = read_batch(f, &m, e);
    if (err)
      return err;
  }
}

// The messages that the footer's blocks name.
static enum err read_blocks(struct arrow_file *f, int id, int kind,
                            struct err_info *e) {
  size_t count,
      blocks = flat_vector(&f->footer, f->footer_root, id, BLOCK_BYTES, &count);
  enum err err = ERR_OK;
  for (size_t i = 0; i < count && !err; i++) {
    struct message m;
    int64_t offset = flat_i64(&f->footer, blocks + i * BLOCK_BYTES);
    size_t at = (size_t)offset;
    if (offset < 0 || at > f->n)
      return broken(e, "its footer leads outside of it");
    err = read_message(f, &at, &m, e);
    if (!err && m.kind != kind)
      err = broken(e, "its footer leads to no batch");
    if (!err)
      err = kind == ARROW_RECORD_BATCH ? read_batch(f, &m, e)
                                       : read_dictionary(f, &m, e);
  }
  return err;
}

static enum err open_footer(struct arrow_file *f, size_t *schema,
                            struct err_info *e) {
  int32_t bytes;
  size_t end = 4 + MAGIC_BYTES;
  if (f->n < 8 + end ||
      memcmp(f->data + f->n - MAGIC_BYTES, MAGIC, MAGIC_BYTES))
    return broken(e, "its end is missing");
  memcpy(&bytes, f->data + f->n - end, sizeof bytes);
  if (bytes <= 0 || (size_t)bytes > f->n - end - 8)
    return broken(e, "its footer has an impossible length");
  f->footer = (struct flat){.data = f->data + f->n - end - (size_t)bytes,
                            .n = (size_t)bytes};
  f->footer_root = flat_root(&f->footer);
  *schema = flat_table(&f->footer, f->footer_root, FOOTER_SCHEMA);
  return f->footer.is_broken || !*schema
             ? broken(e, "its footer cannot be read")
             : ERR_OK;
}

static enum err read_fields(struct arrow_file *f, struct err_info *e) {
  if (f->is_file) {
    size_t schema = 0;
    enum err err = open_footer(f, &schema, e);
    return err ? err
               : arrow_read_schema(&f->footer, schema, &f->slots, &f->count, e);
  }
  struct message m;
  enum err err = read_message(f, &f->at, &m, e);
  if (!err && m.kind != ARROW_SCHEMA)
    err = err_set(e, ERR_ARGUMENT, "it is neither an Arrow file nor a stream");
  return err ? err
             : arrow_read_schema(&m.meta, m.header, &f->slots, &f->count, e);
}

enum err arrow_open(const void *data, size_t bytes, struct arrow_file **out,
                    struct err_info *e) {
  if (bytes >= 4 && !memcmp(data, "FEA1", 4))
    return err_set(e, ERR_UNSUPPORTED,
                   "it is a Feather file of version 1; pyarrow reads it, and "
                   "writes version 2");
  struct arrow_file *f = xcalloc(1, sizeof *f);
  f->data = data;
  f->n = bytes;
  f->is_file = bytes >= MAGIC_BYTES && !memcmp(data, MAGIC, MAGIC_BYTES);
  enum err err = read_fields(f, e);
  if (err) {
    arrow_close(f);
    return err;
  }
  f->columns = xcalloc((size_t)f->count + 1, sizeof *f->columns);
  *out = f;
  return ERR_OK;
}

enum err arrow_read(struct arrow_file *f, const bool *is_wanted, int64_t *rows,
                    struct err_info *e) {
  enum err err;
  f->is_wanted = is_wanted;
  if (!f->is_file)
    err = read_stream(f, e);
  else if (!(err = read_blocks(f, FOOTER_DICTIONARIES, ARROW_DICTIONARY_BATCH,
                               e)))
    err = read_blocks(f, FOOTER_BATCHES, ARROW_RECORD_BATCH, e);
  f->is_wanted = NULL;
  *rows = f->rows;
  return err;
}

void arrow_close(struct arrow_file *f) {
  if (!f)
    return;
  for (int i = 0; i < f->count; i++) {
    free(f->slots[i].field.name);
    if (f->columns)
      free(f->columns[i].list);
  }
  for (size_t i = 0; i < f->dictionary_count; i++)
    free_pieces(f->dictionaries[i].pieces);
  arrow_disown(&f->owned);
  free(f->dictionaries);
  free(f->columns);
  free(f->slots);
  free(f);
}

size_t arrow_end(const struct arrow_file *f) {
  return f->is_file ? f->n : f->at;
}

int arrow_field_count(const struct arrow_file *f) {
  return f->count;
}

const struct arrow_field *arrow_field_at(const struct arrow_file *f, int i) {
  return &f->slots[i].field;
}

const struct arrow_pieces *arrow_pieces_at(const struct arrow_file *f, int i) {
  return &f->columns[i];
}
