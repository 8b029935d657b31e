// SPDX-License-Identifier: Apache-2.0
// Theory of operation. The rows to be read are cut into pieces, one for each
// thread, at ends of lines. Whether a newline lies within quotes is known of a
// piece's beginning by how many quotes stand before it: even, and it ends a
// line. That holds as long as each quote begins or ends a field, or is one of
// two; where a piece finds another (5" disk), everything is looked through
// again in one piece. The first pass counts rows and finds the columns' types,
// the second stores values where they belong.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lua/bind/frame/csv/csv_inside.h"

enum { LEAST_PIECE = 1 << 18, SHOWN = 40, ROWS_BETWEEN = 1 << 12 };

// What a piece found of a column.
struct csv_found {
  enum csv_type type;
  bool has_negative, has_missing;
};

// ---- Mistakes ----

static void mistake(struct csv_piece *piece, const char *at, int column,
                    const char *text) {
  if (piece->mistake.at)
    return;
  piece->mistake.at = at;
  piece->mistake.column = column;
  snprintf(piece->mistake.text, sizeof piece->mistake.text, "%s", text);
}

static void too_many_fields(struct csv_piece *piece, const char *at,
                            int fields) {
  char text[200], columns[32] = "is 1 column";
  if (piece->count != 1)
    snprintf(columns, sizeof columns, "are %d columns", piece->count);
  snprintf(text, sizeof text,
           "the line has %d fields, and there %s; "
           "{on_bad_lines = \"skip\"} leaves such lines out",
           fields, columns);
  mistake(piece, at, -1, text);
}

static void not_of_type(struct csv_piece *piece, int column,
                        const struct csv_field *f, bool is_missing) {
  static const char *const names[] = {"", "bool", "i64", "u64", "f64", "str"};
  const struct csv_column *c = &piece->columns[column];
  enum csv_type type = c->type;
  const char *name =
      c->wanted != CSV_NONE && c->wanted_name ? c->wanted_name : names[type];
  double v;
  bool is_number = is_missing || csv_parse_f64(f->p, f->n, &v);
  bool may_be_float = is_number && type != CSV_BOOL;
  char text[200];
  snprintf(text, sizeof text, "\"%.*s\" is %s %s; dtype = \"%s\" takes it",
           f->n < SHOWN ? (int)f->n : SHOWN, f->p,
           is_missing ? "missing, which there is not in" : "no", name,
           may_be_float ? "f64" : "str");
  mistake(piece, f->p, column, text);
}

// The first mistake of all pieces as an error with its place.
static enum err first_mistake(const struct csv *c, struct err_info *e) {
  for (int i = 0; i < c->piece_count; i++) {
    const struct csv_piece *p = &c->pieces[i];
    const struct csv_mistake *m = &p->mistake;
    if (!m->at)
      continue;
    int line = (int)csv_line_of(c, m->at);
    if (m->column < 0)
      return err_set_at(e, ERR_ARGUMENT, c->path, line, 0, "%s", m->text);
    return err_set_at(e, ERR_ARGUMENT, c->path, line, 0, "column \"%s\": %s",
                      p->columns[m->column].name, m->text);
  }
  return ERR_OK;
}

// ---- A piece, row by row ----

// How many fields the row at `p` has; NULL: a quote is not closed.
static const char *pass_row(struct csv_piece *piece, const char *p,
                            int *fields) {
  struct csv_field f = {.end = piece->csv->options.separator};
  for (*fields = 0; p && f.end != '\n'; ++*fields)
    p = csv_next_field(piece, p, &f, &piece->is_stray);
  return p;
}

static void look_at(struct csv_piece *piece, int column,
                    const struct csv_field *f) {
  struct csv_found *found = &piece->found[column];
  const struct csv_column *c = &piece->columns[column];
  if (!c->is_used || c->wanted != CSV_NONE)
    return;
  if (na_texts_has(&piece->csv->na, f->p, f->n)) {
    found->has_missing = true;
    return;
  }
  if (found->type == CSV_TEXT)
    return;
  bool is_negative = false;
  enum csv_type type =
      f->has_quotes ? CSV_TEXT : csv_type_of(f->p, f->n, &is_negative);
  found->has_negative |= is_negative;
  found->type = csv_type_join(found->type, type, found->has_negative);
}

// Is the row at `p` one that is to be left out? Then `next` is behind it.
static bool is_left_out(struct csv_piece *piece, const char *p,
                        const char **next) {
  int fields;
  if (!piece->csv->options.skips_bad_lines)
    return false;
  const char *behind = pass_row(piece, p, &fields);
  if (!behind || fields <= piece->count)
    return false;
  *next = behind;
  return true;
}

// The row at `p`; returns where the next one begins. NULL: there is a mistake.
static const char *scan_row(struct csv_piece *piece, const char *p) {
  const char separator = piece->csv->options.separator, *row = p;
  struct csv_field f = {.end = separator};
  int k = 0, more = 0;
  for (; p && k < piece->count && f.end == separator; k++)
    if ((p = csv_next_field(piece, p, &f, &piece->is_stray)))
      look_at(piece, k, &f);
  if (p && f.end == separator && (p = pass_row(piece, p, &more)))
    return too_many_fields(piece, row, k + more), NULL;
  if (!p)
    return mistake(piece, row, -1,
                   "a quote that is opened in this line is not closed"),
           NULL;
  for (; k < piece->count; k++)
    piece->found[k].has_missing = true;
  piece->rows++;
  return p;
}

// Is nobody waiting any more? Asked of each row, and seldom looked up.
static bool is_given_up(const struct csv_piece *piece, int64_t row) {
  return row % ROWS_BETWEEN == 0 && csv_go_on(piece->csv, NULL);
}

static void scan_piece(struct csv_piece *piece) {
  const char *p = csv_next_row(piece->csv, piece->from, piece->end);
  while (p && p < piece->end && !is_given_up(piece, piece->rows)) {
    if (!is_left_out(piece, p, &p))
      p = scan_row(piece, p);
    if (p)
      p = csv_next_row(piece->csv, p, piece->end);
  }
}

// ---- Which rows ----

static enum err load_all(struct csv *c, struct err_info *e) {
  struct stat st;
  size_t bytes = 0;
  if (!fstat(c->fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
    bytes = (size_t)st.st_size + 1;
  enum err err = ERR_OK;
  while (!c->is_ended && !err)
    err = csv_load(c, bytes ? bytes : c->used, e);
  c->stop = c->used;
  return err;
}

// Where the buffer's first `most` rows end; false: more has to be read, or nobody
// waits for them any more.
static bool find_stop(struct csv *c, int64_t most) {
  struct csv_piece piece = {.csv = c, .end = c->buffer + c->used};
  const char *p = csv_next_row(c, c->buffer + c->start, piece.end);
  int fields;
  for (; most > 0 && p < piece.end; most--) {
    if (is_given_up(&piece, most))
      return false;
    const char *next = pass_row(&piece, p, &fields);
    if (!c->is_ended && (!next || next >= piece.end))
      return false;
    if (!next || next > piece.end)
      next = piece.end;
    p = csv_next_row(c, next, piece.end);
  }
  c->stop = (size_t)(p - c->buffer);
  return most == 0 || c->is_ended;
}

static enum err load_rows(struct csv *c, int64_t most, struct err_info *e) {
  if (most < 0)
    return load_all(c, e);
  enum err err = ERR_OK;
  while (!find_stop(c, most) && !err)
    if (!(err = csv_go_on(c, e)))
      err = csv_load(c, (c->used - c->start) / 2, e);
  return err;
}

// ---- Pieces ----

static int64_t count_quotes(const struct csv *c, const char *p,
                            const char *end) {
  int64_t n = 0;
  for (;
       c->options.quote && (p = memchr(p, c->options.quote, (size_t)(end - p)));
       p++)
    n++;
  return n;
}

// Behind the first newline from `p` on that ends a line.
static const char *line_start(const struct csv *c, const char *p,
                              const char *end, bool is_quoted) {
  for (; p < end; p++) {
    is_quoted ^= *p == c->options.quote && c->options.quote;
    if (*p == '\n' && !is_quoted)
      return p + 1;
  }
  return end;
}

static int pieces_for(const struct csv *c, size_t bytes) {
  size_t least = c->options.least_piece;
  return csv_threads(c, bytes / (least ? least : LEAST_PIECE) + 1);
}

static void cut(struct csv *c, int count) {
  const char *from = c->buffer + c->start, *end = c->buffer + c->stop;
  size_t step = (size_t)(end - from) / (size_t)count;
  const char *at = from, *counted = from;
  bool is_quoted = false;
  c->piece_count = count;
  for (int i = 0; i < count; i++) {
    struct csv_piece *p = &c->pieces[i];
    memset(p, 0, sizeof *p);
    p->csv = c;
    p->from = at;
    const char *next = from + step * (size_t)(i + 1);
    if (i == count - 1) {
      at = end;
    } else if (next > at) {
      is_quoted ^= count_quotes(c, counted, next) & 1;
      counted = next;
      at = line_start(c, next, end, is_quoted);
    }
    p->end = at;
  }
}

// ---- The first pass ----

static enum err scan_pieces(struct csv *c, struct csv_column *columns,
                            int count, struct err_info *e) {
  struct csv_found *found =
      calloc((size_t)(count + 1) * (size_t)c->piece_count, sizeof *found);
  if (!found)
    return err_set(e, ERR_NOMEM, "%s: there is no memory", c->path);
  c->pieces[0].found = found; // there is always one, which has it to free
  for (int i = 0; i < c->piece_count; i++) {
    c->pieces[i].columns = columns;
    c->pieces[i].count = count;
    c->pieces[i].found = found + i * count;
  }
  csv_each_piece(c, scan_piece);
  return csv_go_on(c, e);
}

static bool has_stray(const struct csv *c) {
  bool is_stray = false;
  for (int i = 0; i < c->piece_count; i++)
    is_stray |= c->pieces[i].is_stray || c->pieces[i].mistake.at;
  return is_stray && c->piece_count > 1;
}

// What all pieces found of column k.
static void settle(const struct csv *c, struct csv_column *column, int k) {
  struct csv_found all = {CSV_NONE, false, false};
  for (int i = 0; i < c->piece_count; i++) {
    const struct csv_found *f = &c->pieces[i].found[k];
    all.has_negative |= f->has_negative;
    all.has_missing |= f->has_missing;
    all.type = csv_type_join(all.type, f->type, all.has_negative);
  }
  column->has_missing = all.has_missing;
  column->type = column->wanted != CSV_NONE ? column->wanted : all.type;
  if (column->wanted == CSV_NONE && all.has_missing &&
      (all.type == CSV_I64 || all.type == CSV_U64))
    column->type = CSV_F64;
}

static void forget_found(struct csv *c) {
  free(c->pieces[0].found);
  for (int i = 0; i < c->piece_count; i++)
    c->pieces[i].found = NULL;
}

enum err csv_scan(struct csv *c, struct csv_column *columns, int count,
                  int64_t most, int64_t *rows, struct err_info *e) {
  enum err err = load_rows(c, most, e);
  if (err)
    return err;
  cut(c, pieces_for(c, c->stop - c->start));
  err = scan_pieces(c, columns, count, e);
  if (!err && has_stray(c)) {
    forget_found(c);
    cut(c, 1);
    err = scan_pieces(c, columns, count, e);
  }
  if (!err)
    err = first_mistake(c, e);
  *rows = 0;
  for (int i = 0; i < c->piece_count; i++) {
    c->pieces[i].first_row = *rows;
    *rows += c->pieces[i].rows;
  }
  for (int k = 0; k < count && !err; k++)
    settle(c, &columns[k], k);
  forget_found(c);
  return err;
}

// ---- The second pass ----

static const double missing_number = __builtin_nan("");

static void store_text(struct csv_piece *piece, int column,
                       const struct csv_field *f, int64_t row) {
  int32_t *values = piece->columns[column].values;
  char room[256], *text = room;
  size_t n = f->n;
  if (f->has_quotes && n > sizeof room && !(text = malloc(n))) {
    mistake(piece, f->p, column, "there is no memory for the text");
    return;
  }
  if (f->has_quotes)
    n = csv_unquote(piece->csv, f, text);
  values[row] = texts_add(piece->texts[column], f->has_quotes ? text : f->p, n);
  if (values[row] < 0)
    mistake(piece, f->p, column, "there is no memory for the texts");
  if (text != room)
    free(text);
}

static void store_missing(struct csv_piece *piece, int column,
                          const struct csv_field *f, int64_t row) {
  struct csv_column *c = &piece->columns[column];
  if (c->type == CSV_TEXT)
    ((int32_t *)c->values)[row] = -1;
  else if (c->type == CSV_F64 || c->type == CSV_NONE ||
           (c->type == CSV_BOOL && c->has_missing))
    ((double *)c->values)[row] = missing_number;
  else
    not_of_type(piece, column, f, true);
}

static void store(struct csv_piece *piece, int column,
                  const struct csv_field *f, int64_t row) {
  struct csv_column *c = &piece->columns[column];
  bool fits = true, truth = false;
  if (!c->is_used)
    return;
  if (na_texts_has(&piece->csv->na, f->p, f->n)) {
    store_missing(piece, column, f, row);
    return;
  }
  switch (c->type) {
  case CSV_I64:
    fits = csv_parse_i64(f->p, f->n, (int64_t *)c->values + row);
    break;
  case CSV_U64:
    fits = csv_parse_u64(f->p, f->n, (uint64_t *)c->values + row);
    break;
  case CSV_F64:
    fits = csv_parse_f64(f->p, f->n, (double *)c->values + row);
    break;
  case CSV_BOOL:
    fits = csv_parse_bool(f->p, f->n, &truth);
    if (c->has_missing)
      ((double *)c->values)[row] = truth;
    else
      ((uint8_t *)c->values)[row] = truth;
    break;
  default: store_text(piece, column, f, row);
  }
  if (!fits)
    not_of_type(piece, column, f, false);
}

static const char *fill_row(struct csv_piece *piece, const char *p,
                            int64_t *row) {
  const char separator = piece->csv->options.separator;
  struct csv_field f = {.end = separator};
  int k = 0;
  if (is_left_out(piece, p, &p))
    return p;
  for (; k < piece->count && f.end == separator; k++) {
    p = csv_next_field(piece, p, &f, &piece->is_stray);
    store(piece, k, &f, *row);
  }
  f = (struct csv_field){p - 1, 0, false, '\n'};
  for (; k < piece->count; k++)
    if (piece->columns[k].is_used)
      store_missing(piece, k, &f, *row);
  ++*row;
  return p;
}

static void fill_piece(struct csv_piece *piece) {
  int64_t row = piece->first_row, end = row + piece->rows;
  const char *p = csv_next_row(piece->csv, piece->from, piece->end);
  while (p < piece->end && row < end && !piece->mistake.at &&
         !is_given_up(piece, row - piece->first_row)) {
    p = fill_row(piece, p, &row);
    p = csv_next_row(piece->csv, p, piece->end);
  }
}

// ---- Texts of all pieces in one dictionary ----

static enum err make_texts(struct csv *c, const struct csv_column *columns,
                           int count) {
  for (int i = 0; i < c->piece_count; i++) {
    struct csv_piece *p = &c->pieces[i];
    p->texts = calloc((size_t)count + 1, sizeof *p->texts);
    for (int k = 0; k < count && p->texts; k++)
      if (columns[k].type == CSV_TEXT && columns[k].is_used &&
          !(p->texts[k] = texts_new()))
        return ERR_NOMEM;
    if (!p->texts)
      return ERR_NOMEM;
  }
  return ERR_OK;
}

// A piece's codes of a column as those of `all`, which takes its texts.
static enum err take_texts(const struct csv_piece *p, int column,
                           struct texts *all) {
  const struct texts *own = p->texts[column];
  int32_t count = texts_count(own);
  int32_t *to = malloc(((size_t)count + 1) * sizeof *to);
  int32_t *values = (int32_t *)p->columns[column].values + p->first_row;
  enum err err = to ? ERR_OK : ERR_NOMEM;
  for (int32_t code = 0; code < count && !err; code++) {
    size_t n;
    const char *text = texts_get(own, code, &n);
    to[code] = texts_add(all, text, n);
    err = to[code] < 0 ? ERR_NOMEM : ERR_OK;
  }
  for (int64_t i = 0; i < p->rows && !err; i++)
    values[i] = values[i] < 0 ? -1 : to[values[i]];
  free(to);
  return err;
}

static enum err join_texts(struct csv *c, struct csv_column *columns,
                           int count) {
  enum err err = ERR_OK;
  for (int k = 0; k < count && !err; k++) {
    columns[k].texts = c->pieces[0].texts[k];
    c->pieces[0].texts[k] = NULL;
    for (int i = 1; i < c->piece_count && columns[k].texts && !err; i++)
      err = take_texts(&c->pieces[i], k, columns[k].texts);
  }
  return err;
}

static void forget_texts(struct csv *c, int count) {
  for (int i = 0; i < c->piece_count; i++) {
    for (int k = 0; k < count && c->pieces[i].texts; k++)
      texts_free(c->pieces[i].texts[k]);
    free(c->pieces[i].texts);
    c->pieces[i].texts = NULL;
  }
}

enum err csv_fill(struct csv *c, struct csv_column *columns, int count,
                  struct err_info *e) {
  enum err err = make_texts(c, columns, count);
  if (!err) {
    csv_each_piece(c, fill_piece);
    err = csv_go_on(c, e);
    if (!err)
      err = first_mistake(c, e);
    if (!err)
      err = join_texts(c, columns, count);
  }
  forget_texts(c, count);
  if (err == ERR_NOMEM)
    err_set(e, ERR_NOMEM, "%s: there is no memory for its texts", c->path);
  if (err == ERR_CANCELLED)
    return err;
  if (!c->is_ended || c->stop < c->used) // more is to be read
    c->line = csv_line_of(c, c->buffer + c->stop);
  c->start = c->stop;
  return err;
}
