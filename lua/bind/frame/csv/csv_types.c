// SPDX-License-Identifier: Apache-2.0
// Types of columns, guessed from rows at the file's beginning and from a few rows
// of blocks throughout. A guess never takes more than the column's values need, so
// that one that is wrong is noticed: by a value that does not fit.
#include "lua/bind/frame/csv/csv_types.h"

#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_fields.h"
#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_threads.h"

enum { FIRST_BYTES = 1 << 15, BYTES = 1 << 11, BLOCKS = 24, ROWS = 256 };

void csv_note_type(struct csv_found *found, const struct csv_field *f) {
  bool is_negative = false;
  enum csv_type type =
      f->has_quotes ? CSV_TEXT : csv_type_of(f->p, f->n, &is_negative);
  found->has_negative |= is_negative;
  found->type = csv_type_join(found->type, type, found->has_negative);
}

void csv_join_found(struct csv_found *all, const struct csv_found *one) {
  all->has_negative |= one->has_negative;
  all->has_missing |= one->has_missing;
  all->has_minus_zero |= one->has_minus_zero;
  all->is_float |= one->is_float;
  all->is_off |= one->is_off;
  all->type = csv_type_join(all->type, one->type, all->has_negative);
}

enum csv_type csv_settled(const struct csv_found *found) {
  bool is_whole = found->type == CSV_I64 || found->type == CSV_U64;
  return found->has_missing && is_whole ? CSV_F64 : found->type;
}

static void look_at_row(struct csv_piece *piece, const char *p) {
  const struct csv *c = piece->csv;
  struct csv_field f = {.end = c->options.separator};
  int k = 0;
  for (; k < c->count && f.end == c->options.separator; k++) {
    p = csv_next_field(piece, p, &f, &piece->is_stray);
    if (na_texts_has(&c->na, f.p, f.n))
      c->sample[k].has_missing = true;
    else
      csv_note_type(&c->sample[k], &f);
  }
  for (; k < c->count; k++)
    c->sample[k].has_missing = true;
}

// Rows that are whole within the block's first bytes, `most` of them at most. One with
// more fields than columns may be left out, and so tells nothing.
static void look_at_rows(struct csv_piece *piece, int64_t most, bool is_whole) {
  const struct csv *c = piece->csv;
  const char *p = csv_next_row(c, piece->from, piece->end);
  for (; p < piece->end && most > 0; most--) {
    int fields;
    const char *next = csv_pass_row(piece, p, &fields);
    if (!next || (next > piece->end && !is_whole))
      return;
    if (fields <= c->count)
      look_at_row(piece, p);
    p = next < piece->end ? csv_next_row(c, next, piece->end) : piece->end;
  }
}

static enum err look_at_blocks(struct csv *c, struct err_info *e) {
  struct csv_worker *w = &c->workers[0];
  int64_t step = (c->block_count + BLOCKS - 1) / BLOCKS;
  w->csv = c;
  atomic_store(&c->stop, ERR_OK);
  for (int64_t i = 0; i < c->block_count; i += step) {
    const struct csv_block *b = &c->blocks[i];
    int64_t end = b->from + (i ? BYTES : FIRST_BYTES);
    bool is_whole = end >= b[1].from;
    size_t n;
    const char *text =
        csv_block_text(w, b->from, is_whole ? b[1].from : end, &n);
    if (!text) {
      *e = c->error;
      return (enum err)atomic_load(&c->stop);
    }
    w->piece = (struct csv_piece){.csv = c, .from = text, .end = text + n};
    look_at_rows(&w->piece, b->rows < ROWS ? b->rows : ROWS, is_whole);
  }
  return ERR_OK;
}

enum err csv_guess(struct csv *c, struct err_info *e) {
  free(c->sample);
  c->sample = calloc((size_t)c->count + 1, sizeof *c->sample);
  if (!c->sample)
    return csv_no_memory(c, e);
  enum err err = look_at_blocks(c, e);
  for (int k = 0; k < c->count && !err; k++) {
    struct csv_column *column = &c->columns[k];
    c->sample[k].type = csv_settled(&c->sample[k]);
    column->has_missing =
        column->wanted == CSV_NONE && c->sample[k].has_missing;
    column->type =
        column->wanted != CSV_NONE ? column->wanted : c->sample[k].type;
  }
  return err;
}
