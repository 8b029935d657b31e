// SPDX-License-Identifier: Apache-2.0
// How a text of several lines stands on a terminal: prompt, rows, colours, the
// cursor; and what turns one such picture into the next.
//
// Theory of operation: a pen writes cell by cell and breaks rows at the
// terminal's width itself, so that no terminal's own way of breaking matters. It
// runs twice: once to count the rows and find the cursor's, then to keep the rows
// that fit. A change writes only those rows that differ.
#include "repl/edit/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const escapes[EDIT_STYLES] = {
    [EDIT_STYLE_PLAIN] = "\x1b[0m",   [EDIT_STYLE_KEYWORD] = "\x1b[35m",
    [EDIT_STYLE_STRING] = "\x1b[32m", [EDIT_STYLE_NUMBER] = "\x1b[36m",
    [EDIT_STYLE_COMMENT] = "\x1b[2m", [EDIT_STYLE_BUILTIN] = "\x1b[33m",
    [EDIT_STYLE_COMMAND] = "\x1b[1m", [EDIT_STYLE_MATCH] = "\x1b[1;4m",
    [EDIT_STYLE_NOTE] = "\x1b[2m",
};

// ---- The pen ----

struct pen {
  int columns;
  int row, column;
  int keep_from, keep_to;   // rows; none on the first run
  enum edit_style style;    // that the row's bytes have reached
  struct str now;           // of the row at hand
  struct edit_picture *out; // what was kept
};

static bool is_kept(const struct pen *p) {
  return p->row >= p->keep_from && p->row < p->keep_to;
}

static void set_style(struct pen *p, enum edit_style style) {
  if (style == p->style)
    return;
  if (p->style != EDIT_STYLE_PLAIN && style != EDIT_STYLE_PLAIN)
    str_add(&p->now, escapes[EDIT_STYLE_PLAIN]);
  str_add(&p->now, escapes[style]);
  p->style = style;
}

static void end_row(struct pen *p) {
  if (is_kept(p)) {
    struct edit_picture *out = p->out;
    set_style(p, EDIT_STYLE_PLAIN);
    out->rows =
        xrealloc(out->rows, (size_t)(out->count + 1) * sizeof *out->rows);
    out->rows[out->count++] = (struct edit_row){str_take(&p->now), p->column};
  }
  p->row++;
  p->column = 0;
}

// What has no columns of its own stays with what stands before it.
static void put(struct pen *p, const char *shown, int columns,
                enum edit_style style) {
  if (columns > 0 && p->column + columns > p->columns)
    end_row(p);
  if (is_kept(p)) {
    set_style(p, style);
    str_add(&p->now, shown);
  }
  p->column += columns;
}

static size_t put_char(struct pen *p, const char *text, size_t bytes,
                       int column, enum edit_style style) {
  struct edit_char c = edit_char_at(text, bytes);
  if (*text == '\t')
    put(p, &"    "[column % EDIT_TAB], EDIT_TAB - column % EDIT_TAB, style);
  else
    put(p, c.shown, c.columns, style);
  return (size_t)c.bytes;
}

// A prompt may have lines; Readline's marks around escapes are left out with
// what is between them.
static void put_prompt(struct pen *p, const char *prompt) {
  for (size_t left = strlen(prompt); left;) {
    size_t n = 1;
    if (*prompt == '\n')
      end_row(p);
    else if (*prompt == '\1')
      n = strcspn(prompt, "\2") + (strchr(prompt, '\2') != NULL);
    else
      n = put_char(p, prompt, left, 0, EDIT_STYLE_PLAIN);
    prompt += n;
    left -= n;
  }
}

// Where the cursor stands: behind a full row at the start of the next.
static void note_cursor(struct pen *p, struct edit_picture *out) {
  if (p->column >= p->columns)
    end_row(p);
  out->cursor_row = p->row;
  out->cursor_column = p->column;
}

// Readline's cursor may stand inside of what is one character on the screen.
static bool is_at_point(const struct edit_view *v, size_t at, size_t bytes) {
  return v->point >= at &&
         v->point < at + (size_t)edit_char_at(v->text + at, bytes - at).bytes;
}

static void put_suggestion(struct pen *p, const char *text, int column) {
  for (size_t left = text ? strlen(text) : 0; left;) {
    size_t n = put_char(p, text, left, column, EDIT_STYLE_NOTE);
    column += edit_char_at(text, left).columns;
    text += n;
    left -= n;
  }
}

static void put_text(struct pen *p, const struct edit_view *v,
                     struct edit_picture *out) {
  size_t bytes = strlen(v->text), at = 0;
  int column = 0;
  for (; at < bytes;) {
    if (is_at_point(v, at, bytes))
      note_cursor(p, out);
    if (v->text[at] == '\n') {
      end_row(p);
      put_prompt(p, v->more);
      column = 0;
      at++;
      continue;
    }
    enum edit_style style = v->styles ? v->styles[at] : EDIT_STYLE_PLAIN;
    size_t n = put_char(p, v->text + at, bytes - at, column, style);
    column += v->text[at] == '\t'
                  ? EDIT_TAB - column % EDIT_TAB
                  : edit_char_at(v->text + at, bytes - at).columns;
    at += n;
  }
  if (at == v->point)
    note_cursor(p, out);
  put_suggestion(p, v->suggestion, column);
  end_row(p);
}

static int run_pen(const struct edit_view *v, int from, int to,
                   struct edit_picture *out) {
  struct pen p = {.columns = v->columns > 1 ? v->columns : 1,
                  .keep_from = from,
                  .keep_to = to,
                  .now = STR_INIT,
                  .out = out};
  put_prompt(&p, v->prompt);
  put_text(&p, v, out);
  str_free(&p.now);
  return p.row;
}

// ---- The picture ----

// How many bytes of the text take no more than so many columns.
static size_t bytes_in(const char *text, int columns) {
  size_t at = 0, left = strlen(text);
  while (at < left) {
    struct edit_char c = edit_char_at(text + at, left - at);
    if ((columns -= c.columns) < 0)
      break;
    at += (size_t)c.bytes;
  }
  return at;
}

// What does not fit ends behind a word, and "..." says so.
static void add_note(const struct edit_view *v, struct edit_picture *out) {
  static const char more[] = " ...";
  struct pen p = {.columns = v->columns - 1, .keep_to = 1, .out = out};
  str_init(&p.now);
  struct str note = STR_INIT;
  size_t fits = bytes_in(v->note, p.columns);
  if (v->note[fits]) {
    fits = bytes_in(v->note, p.columns - (int)strlen(more));
    size_t word = fits;
    while (word > 0 && v->note[word] != ' ')
      word--;
    str_add_bytes(&note, v->note, word ? word : fits);
    str_add(&note, more);
  } else {
    str_add(&note, v->note);
  }
  enum edit_style style = v->styles ? EDIT_STYLE_NOTE : EDIT_STYLE_PLAIN;
  note.len = bytes_in(note.data, p.columns); // of a very narrow terminal
  for (size_t at = 0; at < note.len;)
    at += put_char(&p, note.data + at, note.len - at, 0, style);
  end_row(&p);
  str_free(&p.now);
  str_free(&note);
}

void edit_picture_draw(const struct edit_view *v, int *top,
                       struct edit_picture *out) {
  memset(out, 0, sizeof *out);
  bool has_note = v->note && *v->note && v->rows != 1;
  int all = run_pen(v, 0, 0, out);
  int rows = v->rows > 0 ? v->rows - has_note : all;
  if (*top > all - rows)
    *top = all - rows;
  if (*top < 0)
    *top = 0;
  if (out->cursor_row < *top)
    *top = out->cursor_row;
  if (out->cursor_row >= *top + rows)
    *top = out->cursor_row - rows + 1;
  run_pen(v, *top, *top + rows, out);
  out->cursor_row -= *top;
  if (has_note)
    add_note(v, out);
}

void edit_picture_free(struct edit_picture *p) {
  for (int i = 0; i < p->count; i++)
    free(p->rows[i].bytes);
  free(p->rows);
  memset(p, 0, sizeof *p);
}

int edit_picture_rows_above(const struct edit_picture *p, int columns) {
  int rows = 0;
  columns = columns > 1 ? columns : 1;
  for (int i = 0; i < p->cursor_row && i < p->count; i++) {
    int width = p->rows[i].columns;
    rows += width > columns ? (width + columns - 1) / columns : 1;
  }
  return rows + p->cursor_column / columns;
}

// ---- From one picture to the next ----

static void move_row(int *row, int to, struct str *out) {
  if (to < *row)
    str_addf(out, "\x1b[%dA", *row - to);
  else if (to > *row)
    str_addf(out, "\x1b[%dB", to - *row);
  *row = to;
}

static bool is_same_row(const struct edit_picture *a,
                        const struct edit_picture *b, int row) {
  return row < a->count && row < b->count &&
         !strcmp(a->rows[row].bytes, b->rows[row].bytes);
}

// The part of a row that both pictures begin with, where it has no escapes and
// a column is a byte: what is typed at a row's end is all that is written then.
static size_t same_bytes(const struct edit_picture *a,
                         const struct edit_picture *b, int row) {
  size_t n = 0;
  if (row >= a->count)
    return 0;
  const char *was = a->rows[row].bytes, *is = b->rows[row].bytes;
  while (was[n] && was[n] == is[n] && was[n] >= ' ' && was[n] < 127)
    n++;
  // A mark that combines belongs to what stands before it.
  return (is[n] & 0x80 || was[n] & 0x80) && n ? n - 1 : n;
}

// A new row at the terminal's bottom scrolls; a row that is there does not.
static void go_to_row(int *row, int to, int there, struct str *out) {
  if (to < there) {
    move_row(row, to, out);
    str_add(out, "\r");
    return;
  }
  move_row(row, there > 0 ? there - 1 : 0, out);
  for (; *row < to; (*row)++)
    str_add(out, "\r\n");
  str_add(out, "\r");
}

static void write_row(const struct edit_picture *old,
                      const struct edit_picture *now, int i, struct str *out) {
  size_t same = same_bytes(old, now, i);
  if (same)
    str_addf(out, "\x1b[%zuC", same);
  // Cleared first: behind a full row the cursor would clear its last column.
  bool is_longer = i < old->count && old->rows[i].columns > (int)same;
  str_add(out, is_longer ? "\x1b[K" : "");
  str_add(out, now->rows[i].bytes + same);
}

void edit_picture_change(const struct edit_picture *old,
                         const struct edit_picture *now, struct str *out) {
  int row = old->cursor_row, there = old->count ? old->count : 1;
  for (int i = 0; i < now->count; i++) {
    if (is_same_row(old, now, i))
      continue;
    go_to_row(&row, i, there, out);
    write_row(old, now, i, out);
    there = i + 1 > there ? i + 1 : there;
  }
  if (old->count > now->count) {
    go_to_row(&row, now->count, there, out);
    str_add(out, "\x1b[J");
  }
  move_row(&row, now->cursor_row, out);
  str_add(out, "\r");
  if (now->cursor_column)
    str_addf(out, "\x1b[%dC", now->cursor_column);
}
