// SPDX-License-Identifier: Apache-2.0
// Values of all rows. A block's rows are stored where they belong as its text comes
// in, each field as its column's guessed type. Where one does not fit: whole numbers
// become floats on the spot, and those of other blocks at the end; else the block
// only looks at the column's types from there on, and when all is read the caller
// has values of the right type made, for another round of that column alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_blocks.h"
#include "lua/bind/frame/csv/csv_fields.h"
#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_join.h"
#include "lua/bind/frame/csv/csv_quick.h"
#include "lua/bind/frame/csv/csv_texts.h"
#include "lua/bind/frame/csv/csv_threads.h"
#include "lua/bind/frame/csv/csv_types.h"

enum { SHOWN = 40, ROOM = 256 };

static const double missing_number = __builtin_nan("");

// How a block takes a column's fields.
enum way {
  PASS, // not at all
  AS_I64,
  AS_F64,
  AS_TEXT,  // behind it are those that csv_quick.h has nothing for
  AS_NONE,  // all were missing; stored as f64
  AS_OTHER, // as column->type
  LOOK,     // not at all, but their types are found
};

// A block while it is filled.
struct filling {
  struct csv_worker *worker;
  struct csv_piece *piece;
  struct csv *csv;
  const struct csv_block *block;
  struct csv_found *found; // of each column
  uint8_t *ways;           // of each column
  int64_t row;
  bool is_wrong;      // a mistake: it goes no further
  bool is_miscounted; // there are not as many rows as were counted
};

// ---- Mistakes ----

static void mistake(struct filling *f, const char *at, int column,
                    const char *text) {
  struct csv *c = f->csv;
  int64_t place = f->block->from + (at - f->piece->from);
  f->is_wrong = true;
  pthread_mutex_lock(&c->lock);
  if (c->mistake.at < 0 || place < c->mistake.at) {
    c->mistake.at = place;
    c->mistake.column = column;
    snprintf(c->mistake.text, sizeof c->mistake.text, "%s", text);
  }
  pthread_mutex_unlock(&c->lock);
  struct err_info e;
  csv_stop(c, err_set(&e, ERR_ARGUMENT, "a mistake"), &e);
}

static void too_many_fields(struct filling *f, const char *at, int fields) {
  char text[200], columns[32] = "is 1 column";
  if (f->csv->count != 1)
    snprintf(columns, sizeof columns, "are %d columns", f->csv->count);
  snprintf(text, sizeof text,
           "the line has %d fields, and there %s; "
           "{on_bad_lines = \"skip\"} leaves such lines out",
           fields, columns);
  mistake(f, at, -1, text);
}

static void not_of_type(struct filling *f, int column,
                        const struct csv_field *field, bool is_missing) {
  static const char *const names[] = {"", "bool", "i64", "u64", "f64", "str"};
  const struct csv_column *c = &f->csv->columns[column];
  const char *name = c->wanted_name ? c->wanted_name : names[c->type];
  double v;
  bool is_number = is_missing || csv_parse_f64(field->p, field->n, &v);
  bool may_be_float = is_number && c->type != CSV_BOOL;
  char text[200];
  snprintf(text, sizeof text, "\"%.*s\" is %s %s; dtype = \"%s\" takes it",
           field->n < SHOWN ? (int)field->n : SHOWN, field->p,
           is_missing ? "missing, which there is not in" : "no", name,
           may_be_float ? "f64" : "str");
  mistake(f, field->p, column, text);
}

static enum err mistake_error(const struct csv *c, struct err_info *e) {
  const struct csv_mistake *m = &c->mistake;
  int line = csv_line_of(c, m->at);
  if (m->column < 0)
    return err_set_at(e, ERR_ARGUMENT, c->path, line, 0, "%s", m->text);
  return err_set_at(e, ERR_ARGUMENT, c->path, line, 0, "column \"%s\": %s",
                    c->columns[m->column].name, m->text);
}

// ---- A field ----

static void no_memory(struct filling *f) {
  struct err_info e;
  f->is_wrong = true;
  csv_stop(f->csv, csv_no_memory(f->csv, &e), &e);
}

// Where pairs of quotes stand for one, the text is elsewhere, and does not stay.
static bool store_unquoted(struct filling *f, int column,
                           const struct csv_field *field, int32_t *to) {
  char room[ROOM], *text = room;
  size_t n = field->n;
  if (n + CSV_PADDING > sizeof room && !(text = malloc(n + CSV_PADDING)))
    return false;
  n = csv_unquote(f->csv, field, text);
  memset(text + n, 0, CSV_WORD);
  bool is_stored = csv_store_waiting(f->worker, column) &&
                   csv_store_text(f->worker, column, text, n, to) &&
                   csv_store_waiting(f->worker, column);
  if (text != room)
    free(text);
  return is_stored;
}

static void store_text(struct filling *f, int column,
                       const struct csv_field *field) {
  int32_t *to = (int32_t *)f->csv->columns[column].values + f->row;
  bool is_stored = field->has_quotes ? store_unquoted(f, column, field, to)
                                     : csv_store_text(f->worker, column,
                                                      field->p, field->n, to);
  if (!is_stored)
    no_memory(f);
}

// Stores a value as the column's type; false: it is none of that.
static bool store_value(struct filling *f, int column,
                        const struct csv_field *field) {
  const struct csv_column *c = &f->csv->columns[column];
  bool truth = false, fits;
  switch (f->ways[column] == AS_F64 ? CSV_F64 : c->type) {
  case CSV_I64:
    return csv_parse_i64(field->p, field->n, (int64_t *)c->values + f->row);
  case CSV_U64:
    return csv_parse_u64(field->p, field->n, (uint64_t *)c->values + f->row);
  case CSV_TEXT: store_text(f, column, field); return true;
  case CSV_BOOL:
    fits = csv_parse_bool(field->p, field->n, &truth);
    if (c->has_missing)
      ((double *)c->values)[f->row] = truth;
    else
      ((uint8_t *)c->values)[f->row] = truth;
    return fits;
  default:
    return csv_parse_f64(field->p, field->n, (double *)c->values + f->row);
  }
}

// False: the column's type has no missing value.
static bool store_missing(struct filling *f, int column) {
  const struct csv_column *c = &f->csv->columns[column];
  if (c->type == CSV_TEXT)
    ((int32_t *)c->values)[f->row] = -1;
  else if (f->ways[column] == AS_F64 || c->type == CSV_NONE ||
           (c->type == CSV_BOOL && c->has_missing))
    ((double *)c->values)[f->row] = missing_number;
  else
    return false;
  return true;
}

// From here on the block's whole numbers are floats.
static void become_floats(struct filling *f, int column) {
  double *values = f->csv->columns[column].values;
  f->ways[column] = AS_F64;
  f->found[column].is_float = true;
  for (int64_t i = f->block->first_row; i < f->row; i++)
    values[i] = (double)((const int64_t *)values)[i];
}

static void give_up(struct filling *f, int column) {
  f->ways[column] = LOOK;
  f->found[column].is_off = true;
}

static void take_missing(struct filling *f, int column,
                         const struct csv_field *field) {
  const struct csv_column *c = &f->csv->columns[column];
  f->found[column].has_missing = true;
  if (f->ways[column] == LOOK)
    return;
  if (c->wanted == CSV_NONE && f->ways[column] == AS_I64)
    become_floats(f, column);
  if (store_missing(f, column))
    return;
  if (c->wanted != CSV_NONE)
    not_of_type(f, column, field, true);
  else
    give_up(f, column);
}

// Does the type of the values up to here still take this one? The way may be another
// behind it.
static bool is_taken(struct filling *f, int column,
                     const struct csv_field *field) {
  struct csv_found *found = &f->found[column];
  csv_note_type(found, field);
  switch (f->ways[column]) {
  case LOOK: return false;
  case AS_I64:
    if (found->type == CSV_F64)
      become_floats(f, column);
    return found->type == CSV_I64 || f->ways[column] == AS_F64;
  case AS_NONE:
    if (found->has_missing) // whatever number it is, it becomes a float
      f->ways[column] = AS_F64;
    // fall through
  case AS_F64: return found->type != CSV_BOOL && found->type != CSV_TEXT;
  default: return found->type == f->csv->columns[column].type;
  }
}

static void note_minus_zero(struct filling *f, int column,
                            const struct csv_field *field) {
  const struct csv_column *c = &f->csv->columns[column];
  f->found[column].has_minus_zero |= f->ways[column] == AS_I64 &&
                                     ((int64_t *)c->values)[f->row] == 0 &&
                                     memchr(field->p, '-', field->n);
}

static void take_field(struct filling *f, int column,
                       const struct csv_field *field) {
  const struct csv_column *c = &f->csv->columns[column];
  if (f->ways[column] == PASS)
    return;
  if (na_texts_has(&f->csv->na, field->p, field->n)) {
    take_missing(f, column, field);
    return;
  }
  bool is_found = c->wanted == CSV_NONE && c->type != CSV_TEXT;
  if (is_found && !is_taken(f, column, field)) {
    if (f->ways[column] != LOOK)
      give_up(f, column);
  } else if (!store_value(f, column, field)) {
    not_of_type(f, column, field, false);
  } else if (is_found) {
    note_minus_zero(f, column, field);
  }
}

// ---- A row ----

// A text that is as most are.
static inline const char *quick_text(struct filling *f, int k, const char *p,
                                     const char *end) {
  const struct csv *c = f->csv;
  size_t n = (size_t)(end - p);
  if (f->ways[k] == PASS)
    return end;
  if (na_texts_has(&c->na, p, n))
    return NULL;
  int32_t *to = (int32_t *)c->columns[k].values + f->row;
  if (!csv_store_text(f->worker, k, p, n, to))
    no_memory(f);
  return end;
}

static inline const char *quick_number(struct filling *f, int k,
                                       const char *p) {
  void *values = f->csv->columns[k].values;
  if (f->ways[k] == AS_F64)
    return csv_quick_f64(p, (double *)values + f->row);
  bool is_negative;
  int64_t *to = (int64_t *)values + f->row;
  const char *end = csv_quick_i64(p, to, &is_negative);
  if (end && is_negative) {
    f->found[k].has_negative = true;
    f->found[k].has_minus_zero |= *to == 0;
  }
  return end;
}

static inline bool is_number(enum way way) {
  return way == AS_I64 || way == AS_F64;
}

// Within quotes, from behind the first one; returns the place behind the last.
static const char *quick_quoted(struct filling *f, int k, const char *p) {
  const char quote = f->csv->options.quote, *end;
  if (is_number(f->ways[k])) {
    end = quick_number(f, k, p);
    return end && *end == quote ? end + 1 : NULL;
  }
  end = csv_quick_quote(p, f->piece->end, quote);
  if (!end || !f->csv->stops[(unsigned char)end[1]] || end[1] == quote)
    return NULL;
  return quick_text(f, k, p, end) ? end + 1 : NULL;
}

// A field that is as most are; NULL: it may be another kind.
static inline const char *quick_field(struct filling *f, int k, const char *p) {
  const struct csv *c = f->csv;
  const char quote = c->options.quote;
  if (f->ways[k] > AS_TEXT)
    return NULL;
  if (*p == quote && quote)
    return quick_quoted(f, k, p + 1);
  if (is_number(f->ways[k]))
    return quick_number(f, k, p);
  const char *end = csv_quick_stop(p, c->stops, c->options.separator, quote);
  return *end == quote ? NULL : quick_text(f, k, p, end);
}

// Behind the row's last field, the k-th.
static const char *end_row(struct filling *f, const char *row, const char *p,
                           int k, bool has_more) {
  struct csv_field none = {p ? p - 1 : row, 0, false, '\n'};
  int more = 0;
  if (has_more && (p = csv_pass_row(f->piece, p, &more)))
    too_many_fields(f, row, k + more);
  else if (!p)
    mistake(f, row, -1, "a quote that is opened in this line is not closed");
  for (; k < f->csv->count && !f->is_wrong; k++)
    if (f->ways[k] != PASS)
      take_missing(f, k, &none);
  f->row++;
  return p;
}

static const char *fill_row(struct filling *f, const char *p) {
  const struct csv *c = f->csv;
  const char separator = c->options.separator, *row = p;
  struct csv_field field = {.end = separator};
  for (int k = 0; k < c->count; k++) {
    const char *end = c->is_quick ? quick_field(f, k, p) : NULL;
    if (end && *end == separator) {
      p = end + 1;
      continue;
    }
    if (end && (*end == '\n' || (*end == '\r' && end[1] == '\n')))
      return end_row(f, row, end + 1 + (*end == '\r'), k + 1, false);
    p = csv_next_field(f->piece, p, &field, &f->piece->is_stray);
    if (p)
      take_field(f, k, &field);
    if (!p || field.end != separator)
      return end_row(f, row, p, k + 1, false);
  }
  return end_row(f, row, p, c->count, true);
}

// Is the row at `p` one that is to be left out? Then `next` is behind it.
static bool is_left_out(struct filling *f, const char *p, const char **next) {
  int fields;
  if (!f->csv->options.skips_bad_lines)
    return false;
  const char *behind = csv_pass_row(f->piece, p, &fields);
  if (!behind || fields <= f->csv->count)
    return false;
  *next = behind;
  return true;
}

static void fill_rows(struct filling *f) {
  const char *p = f->piece->from, *end = f->piece->end;
  int64_t last = f->block->first_row + f->block->rows;
  while (!f->is_wrong && (p = csv_next_row(f->csv, p, end)) < end) {
    if (is_left_out(f, p, &p))
      continue;
    if (f->row == last)
      break;
    p = fill_row(f, p);
  }
  f->is_miscounted = !f->is_wrong && (f->row != last || p < end);
}

// ---- Blocks ----

static enum way way_of(const struct csv_column *c) {
  if (!c->is_used || c->is_filled)
    return PASS;
  switch (c->type) {
  case CSV_I64: return AS_I64;
  case CSV_NONE: return AS_NONE;
  case CSV_F64: return AS_F64;
  case CSV_TEXT: return AS_TEXT;
  default: return AS_OTHER;
  }
}

static void not_as_counted(struct csv *c) {
  struct err_info e;
  csv_stop(c,
           err_set(&e, ERR_IO,
                   "%s: the file changed while it was read; read it again",
                   c->path),
           &e);
}

static void fill_block(struct csv_worker *w, int64_t i, uint8_t *ways) {
  struct csv *c = w->csv;
  struct csv_block *b = &c->blocks[i];
  struct csv_found *found = c->found + i * c->count;
  size_t n;
  const char *text = csv_block_text(w, b[0].from, b[1].from, &n);
  if (!text)
    return;
  w->piece = (struct csv_piece){.csv = c, .from = text, .end = text + n};
  memcpy(found, c->sample, (size_t)c->count * sizeof *found);
  for (int k = 0; k < c->count; k++)
    ways[k] = (uint8_t)way_of(&c->columns[k]);
  struct filling f = {w, &w->piece, c, b, found, ways, .row = b->first_row};
  fill_rows(&f);
  for (int k = 0; k < c->count; k++) {
    if (!csv_end_book(w, k, &found[k].texts))
      no_memory(&f);
  }
  b->worker = w->index;
  if (f.is_miscounted || (w->piece.is_stray && !c->has_stray))
    not_as_counted(c);
}

static void fill_blocks(struct csv_worker *w) {
  struct csv *c = w->csv;
  struct err_info e;
  uint8_t *ways = malloc((size_t)c->count + 1);
  if (!ways)
    csv_stop(c, csv_no_memory(c, &e), &e);
  for (int64_t i; ways && (i = csv_take_block(c)) >= 0;)
    fill_block(w, i, ways);
  free(ways);
}

// ---- Types that were others ----

// Whole numbers of blocks that did not need floats, where another did.
static void make_floats(struct csv_worker *w) {
  struct csv *c = w->csv;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    const struct csv_block *b = &c->blocks[i];
    for (int k = 0; k < c->count; k++) {
      struct csv_found *found = &c->found[i * c->count + k];
      if (!c->sample[k].is_float || found->is_float)
        continue;
      double *values = (double *)c->columns[k].values + b->first_row;
      for (int64_t row = 0; row < b->rows; row++)
        values[row] = (double)((const int64_t *)values)[row];
    }
  }
}

// What all blocks found of a column; c->sample has it then. Is it filled?
static bool settle(struct csv *c, int k) {
  struct csv_column *column = &c->columns[k];
  struct csv_found all = c->sample[k];
  for (int64_t i = 0; i < c->block_count; i++)
    csv_join_found(&all, &c->found[i * c->count + k]);
  enum csv_type had = column->type, type = csv_settled(&all);
  bool is_float = had == CSV_I64 && type == CSV_F64 && !all.has_minus_zero;
  bool fits = type == had || is_float || (had == CSV_NONE && type == CSV_F64);
  fits = fits && !all.is_off;
  all.type = type;
  all.is_off = false;
  all.is_float = is_float && fits;
  c->sample[k] = all;
  column->type = type;
  column->has_missing = all.has_missing;
  return fits;
}

static enum err settle_all(struct csv *c, struct err_info *e) {
  bool has_floats = false;
  for (int k = 0; k < c->count; k++) {
    struct csv_column *column = &c->columns[k];
    c->sample[k].is_float = false;
    if (!column->is_used || column->is_filled)
      continue;
    column->is_filled = column->wanted != CSV_NONE || settle(c, k);
    has_floats |= c->sample[k].is_float;
  }
  return has_floats ? csv_run(c, csv_threads(c, c->block_count), make_floats, e)
                    : ERR_OK;
}

bool csv_is_filled(const struct csv_column *columns, int count) {
  for (int k = 0; k < count; k++)
    if (columns[k].is_used && !columns[k].is_filled)
      return false;
  return true;
}

// ---- All rows ----

static enum err find_rows(struct csv *c, int64_t most, int64_t *rows,
                          struct err_info *e) {
  enum err err = csv_find_blocks(c, most, e);
  if (!err)
    err = csv_guess(c, e);
  *rows = err ? 0 : csv_rows(c);
  return err;
}

enum err csv_scan(struct csv *c, struct csv_column *columns, int count,
                  int64_t most, int64_t *rows, struct err_info *e) {
  c->columns = columns;
  c->count = count;
  c->most = most;
  for (int k = 0; k < count; k++)
    columns[k].is_filled = false;
  return find_rows(c, most, rows, e);
}

// What is read so far: all of it will be again.
static void forget(struct csv *c) {
  for (int k = 0; k < c->count; k++) {
    texts_free(c->columns[k].texts);
    c->columns[k].texts = NULL;
    c->columns[k].is_filled = false;
  }
}

// A quote is where it should not be: rows may end elsewhere than was counted.
static enum err begin_again(struct csv *c, int64_t *rows, struct err_info *e) {
  c->has_stray = true;
  forget(c);
  return find_rows(c, c->most, rows, e);
}

static enum err fill(struct csv *c, struct err_info *e) {
  int threads = csv_threads(c, c->block_count);
  size_t all = (size_t)c->block_count * (size_t)c->count;
  free(c->found);
  c->found = calloc(all + 1, sizeof *c->found);
  c->mistake.at = -1;
  if (!c->found || csv_make_books(c, threads))
    return csv_no_memory(c, e);
  return csv_run(c, threads, fill_blocks, e);
}

enum err csv_fill(struct csv *c, struct csv_column *columns, int count,
                  int64_t *rows, struct err_info *e) {
  c->columns = columns;
  c->count = count;
  enum err err = fill(c, e);
  bool is_wrong = err && err != ERR_CANCELLED && err != ERR_NOMEM;
  if (is_wrong && c->has_quotes && !c->has_stray)
    return begin_again(c, rows, e);
  if (err && c->mistake.at >= 0 && err != ERR_CANCELLED)
    err = mistake_error(c, e);
  if (!err)
    err = csv_join_books(c, e);
  if (!err)
    err = settle_all(c, e);
  csv_free_books(c);
  if (err)
    forget(c);
  if (!err && csv_is_filled(columns, count))
    c->start = c->blocks[c->block_count].from;
  return err;
}
