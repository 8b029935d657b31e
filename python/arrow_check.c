// SPDX-License-Identifier: Apache-2.0
// ("The Arrow C data interface", Structure definitions; "Arrow Columnar Format",
// Physical Memory Layout.)
#include "python/arrow_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_ROWS ((int64_t)1 << 40) // as of files
enum { MOST_COLUMNS = 1 << 20 };

static enum err refuse(struct err_info *e, const char *name, int batch,
                       const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static enum err refuse(struct err_info *e, const char *name, int batch,
                       const char *fmt, ...) {
  char what[160];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  return name ? err_set(e, ERR_ARGUMENT, "column \"%.200s\", batch %d: %s",
                        name, batch, what)
              : err_set(e, ERR_ARGUMENT, "batch %d: %s", batch, what);
}

// ---- Schemas ----

enum err arrow_check_schema(const struct c_schema *s, struct err_info *e) {
  if (!s->release || !s->format)
    return err_set(e, ERR_ARGUMENT, "the columns' schema is not there");
  if (s->child_count < 0 || s->child_count > MOST_COLUMNS ||
      (s->child_count && !s->children))
    return err_set(e, ERR_ARGUMENT, "the schema has %lld columns",
                   (long long)s->child_count);
  for (int64_t i = 0; i < s->child_count; i++)
    if (!s->children[i] || !s->children[i]->format ||
        (s->children[i]->dictionary && !s->children[i]->dictionary->format))
      return err_set(e, ERR_ARGUMENT, "column %lld of the schema has no type",
                     (long long)i);
  if (s->dictionary && !s->dictionary->format)
    return err_set(e, ERR_ARGUMENT, "the dictionary has no type");
  return ERR_OK;
}

// ---- Lengths and counts ----

static enum err check_lengths(const struct c_array *a, const char *name,
                              int batch, struct err_info *e) {
  if (a->rows < 0 || a->first < 0 || a->rows > MOST_ROWS ||
      a->first > MOST_ROWS)
    return refuse(e, name, batch, "it has %lld rows from row %lld on",
                  (long long)a->rows, (long long)a->first);
  if (a->missing < -1 || a->missing > a->rows)
    return refuse(e, name, batch, "%lld of %lld values are missing",
                  (long long)a->missing, (long long)a->rows);
  if (a->buffer_count < 0 || (a->buffer_count && !a->buffers))
    return refuse(e, name, batch, "it has %lld buffers, which are not there",
                  (long long)a->buffer_count);
  return ERR_OK;
}

static int64_t count_missing(const struct c_array *a) {
  const uint8_t *bits = a->buffers[0];
  int64_t count = 0;
  for (int64_t i = a->first; i < a->first + a->rows; i++)
    count += !(bits[i >> 3] >> (i & 7) & 1);
  return count;
}

static enum err check_missing(const struct c_array *a, const char *name,
                              int batch, struct err_info *e) {
  if (!a->buffers[0])
    return a->missing > 0
               ? refuse(e, name, batch,
                        "%lld values are missing, and nothing says which",
                        (long long)a->missing)
               : ERR_OK;
  int64_t count = a->missing < 0 ? -1 : count_missing(a);
  return count == a->missing || a->missing < 0
             ? ERR_OK
             : refuse(e, name, batch,
                      "%lld values are said to be missing, and %lld are",
                      (long long)a->missing, (long long)count);
}

// ---- Batches ----

static enum err check_children(const struct c_array *a,
                               const struct c_schema *s, int batch,
                               struct err_info *e) {
  if (a->child_count != s->child_count || (a->child_count && !a->children))
    return refuse(e, NULL, batch, "it has %lld columns, and the schema %lld",
                  (long long)a->child_count, (long long)s->child_count);
  for (int64_t i = 0; i < a->child_count; i++) {
    const struct c_array *child = a->children[i];
    const char *name = s->children[i]->name ? s->children[i]->name : "";
    if (!child || !child->release)
      return refuse(e, name, batch, "it is not there, or was taken before");
    if (child->rows < a->first + a->rows)
      return refuse(e, name, batch, "it has %lld rows, and the batch %lld",
                    (long long)child->rows, (long long)(a->first + a->rows));
  }
  return ERR_OK;
}

enum err arrow_check_batch(const struct c_array *a, const struct c_schema *s,
                           int batch, bool is_on_gpu, struct err_info *e) {
  bool is_struct = !strcmp(s->format, "+s") && !s->dictionary;
  enum err err = check_lengths(a, NULL, batch, e);
  if (err || !is_struct)
    return err;
  bool may_lack = a->buffer_count && a->buffers[0] && a->missing;
  if (may_lack && (is_on_gpu || count_missing(a)))
    return refuse(e, NULL, batch,
                  "rows that are missing as a whole are none of a frame's");
  return check_children(a, s, batch, e);
}

// ---- Columns ----

// How many buffers a column has; of views, at least.
static int64_t buffers_of(const struct arrow_field *f) {
  if (f->codes != DTYPE_COUNT)
    return 2;
  if (f->kind == ARROW_NULL)
    return 0;
  return f->kind != ARROW_TEXT ? 2 : 3;
}

static int64_t offset_at(const struct c_array *a, const struct arrow_field *f,
                         int64_t i) {
  int32_t narrow;
  int64_t wide;
  const char *at = (const char *)a->buffers[1] + i * f->width;
  if (f->width == 4)
    memcpy(&narrow, at, sizeof narrow);
  else
    memcpy(&wide, at, sizeof wide);
  return f->width == 4 ? narrow : wide;
}

// Where one text ends the next begins, up to the last one's end.
static enum err check_offsets(const struct c_array *a,
                              const struct arrow_field *f, int batch,
                              struct err_info *e) {
  int64_t before = offset_at(a, f, a->first);
  if (before < 0)
    return refuse(e, f->name, batch, "its texts begin at %lld",
                  (long long)before);
  for (int64_t i = 0; i < a->rows; i++) {
    int64_t end = offset_at(a, f, a->first + i + 1);
    if (end < before)
      return refuse(e, f->name, batch,
                    "the text of row %lld goes from %lld to %lld", (long long)i,
                    (long long)before, (long long)end);
    before = end;
  }
  return before && !a->buffers[2]
             ? refuse(e, f->name, batch, "its texts are not there")
             : ERR_OK;
}

// What views lead into, and how long each of it is.
static enum err check_views(const struct c_array *a,
                            const struct arrow_field *f, int batch,
                            struct err_info *e) {
  int64_t count = a->buffer_count - 3, size;
  const char *sizes = a->buffers[a->buffer_count - 1];
  if (count > INT32_MAX || (count && !sizes))
    return refuse(e, f->name, batch, "%lld buffers of texts are not there",
                  (long long)count);
  for (int64_t i = 0; i < count; i++) {
    memcpy(&size, sizes + 8 * i, sizeof size);
    if (size < 0 || (size && !a->buffers[2 + i]))
      return refuse(e, f->name, batch,
                    "buffer %lld of its texts has %lld bytes", (long long)i,
                    (long long)size);
  }
  return ERR_OK;
}

static bool is_view(const struct arrow_field *f) {
  return f->kind == ARROW_TEXT && f->codes == DTYPE_COUNT && !f->width;
}

enum err arrow_check_lengths(const struct c_array *a,
                             const struct arrow_field *f, int batch,
                             struct err_info *e) {
  int64_t wanted = buffers_of(f);
  enum err err = check_lengths(a, f->name, batch, e);
  if (err)
    return err;
  if (is_view(f) ? a->buffer_count < wanted : a->buffer_count != wanted)
    return refuse(e, f->name, batch, "it has %lld buffers, and %s has %lld%s",
                  (long long)a->buffer_count, f->type, (long long)wanted,
                  is_view(f) ? " or more" : "");
  return ERR_OK;
}

enum err arrow_check_column(const struct c_array *a,
                            const struct arrow_field *f, int batch,
                            struct err_info *e) {
  bool is_text = f->kind == ARROW_TEXT && f->codes == DTYPE_COUNT;
  enum err err = arrow_check_lengths(a, f, batch, e);
  if (err || !buffers_of(f))
    return err;
  if ((err = check_missing(a, f->name, batch, e)) || !a->rows)
    return err;
  if (!a->buffers[1])
    return refuse(e, f->name, batch, "its values are not there");
  if (!is_text)
    return ERR_OK;
  return is_view(f) ? check_views(a, f, batch, e)
                    : check_offsets(a, f, batch, e);
}
