// SPDX-License-Identifier: Apache-2.0
#include "class/book/table.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

struct reader {
  const char *name, *at, *end;
  char separator;
  int line;
};

// record   = cell *(separator cell) line-break
// cell     = quoted / plain
// quoted   = DQUOTE *(any / 2DQUOTE) DQUOTE
static enum err read_quoted(struct reader *r, struct str *out,
                            struct err_info *e) {
  int from = r->line;
  for (r->at++; r->at < r->end; r->at++) {
    if (*r->at == '"' && r->at + 1 < r->end && r->at[1] == '"')
      r->at++;
    else if (*r->at == '"')
      break;
    r->line += *r->at == '\n';
    str_add_char(out, *r->at);
  }
  if (r->at >= r->end)
    return err_set(e, ERR_ARGUMENT, "%s:%d: a quote begins and does not end",
                   r->name, from);
  r->at++;
  return ERR_OK;
}

static void trim(struct str *s) {
  size_t from = 0;
  while (s->len && isspace((unsigned char)s->data[s->len - 1]))
    s->data[--s->len] = 0;
  while (from < s->len && isspace((unsigned char)s->data[from]))
    from++;
  if (from)
    memmove(s->data, s->data + from, s->len - from + 1);
  s->len -= from;
}

static bool is_break(const struct reader *r) {
  return r->at >= r->end || *r->at == '\n' || *r->at == '\r';
}

static enum err read_cell(struct reader *r, char **out, struct err_info *e) {
  struct str s = STR_INIT;
  int line = r->line;
  enum err err = ERR_OK;
  if (r->at < r->end && *r->at == '"')
    err = read_quoted(r, &s, e);
  while (!err && !is_break(r) && *r->at != r->separator)
    str_add_char(&s, *r->at++);
  trim(&s);
  json_t *is_text = json_stringn(s.data, s.len);
  if (!err && (!is_text || strlen(s.data) != s.len))
    err = err_set(e, ERR_ARGUMENT,
                  "%s:%d: this is no text in UTF-8; save it as \"CSV UTF-8\"",
                  r->name, line);
  json_decref(is_text);
  if (!err)
    *out = xstrdup(s.data);
  str_free(&s);
  return err;
}

static void free_row(struct table_row *row) {
  for (int i = 0; i < row->count; i++)
    free(row->cells[i]);
  free(row->cells);
  *row = (struct table_row){0};
}

static void end_line(struct reader *r) {
  if (r->at < r->end && *r->at == '\r')
    r->at++;
  if (r->at < r->end && *r->at == '\n')
    r->at++;
  r->line++;
}

static enum err read_row(struct reader *r, struct table_row *row,
                         struct err_info *e) {
  *row = (struct table_row){.line = r->line};
  for (;;) {
    char *cell;
    enum err err = read_cell(r, &cell, e);
    if (err) {
      free_row(row);
      return err;
    }
    row->cells =
        xrealloc(row->cells, (size_t)(row->count + 1) * sizeof *row->cells);
    row->cells[row->count++] = cell;
    if (is_break(r))
      break;
    r->at++;
  }
  end_line(r);
  return ERR_OK;
}

static bool is_empty(const struct table_row *row) {
  for (int i = 0; i < row->count; i++)
    if (row->cells[i][0])
      return false;
  return true;
}

// A row may have empty cells behind the last column, as spreadsheets write them.
static enum err check_width(const struct reader *r, const struct table *t,
                            const struct table_row *row, struct err_info *e) {
  for (int i = t->header.count; i < row->count; i++)
    if (row->cells[i][0])
      return err_set(e, ERR_ARGUMENT,
                     "%s:%d: this row has %d cells, and there are %d columns",
                     r->name, row->line, row->count, t->header.count);
  return ERR_OK;
}

static enum err read_rows(struct reader *r, struct table *t,
                          struct err_info *e) {
  enum err err = read_row(r, &t->header, e);
  if (!err && is_empty(&t->header))
    err =
        err_set(e, ERR_ARGUMENT, "%s: it has no line of column names", r->name);
  while (!err && r->at < r->end) {
    struct table_row row;
    err = read_row(r, &row, e);
    if (!err)
      err = check_width(r, t, &row, e);
    if (err || is_empty(&row)) {
      free_row(&row);
      continue;
    }
    t->rows = xrealloc(t->rows, (size_t)(t->count + 1) * sizeof *t->rows);
    t->rows[t->count++] = row;
  }
  return err;
}

static char find_separator(const char *at, const char *end) {
  static const char separators[] = ",;\t";
  size_t counts[3] = {0}, best = 0;
  bool is_quoted = false;
  for (; at < end && (is_quoted || *at != '\n'); at++) {
    const char *found = strchr(separators, *at);
    is_quoted ^= *at == '"';
    if (found && *at && !is_quoted)
      counts[found - separators]++;
  }
  for (size_t i = 1; i < 3; i++)
    best = counts[i] > counts[best] ? i : best;
  return separators[best];
}

enum err table_read(const char *name, const char *text, size_t bytes,
                    struct table *out, struct err_info *e) {
  struct reader r = {.name = name, .at = text, .end = text + bytes, .line = 1};
  *out = (struct table){0};
  if (bytes >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
    r.at += 3;
  r.separator = find_separator(r.at, r.end);
  enum err err = read_rows(&r, out, e);
  if (err)
    table_free(out);
  return err;
}

void table_free(struct table *t) {
  for (int i = 0; i < t->count; i++)
    free_row(&t->rows[i]);
  free_row(&t->header);
  free(t->rows);
  *t = (struct table){0};
}

int table_column(const struct table *t, const char *name) {
  for (int i = 0; i < t->header.count; i++)
    if (!strcasecmp(t->header.cells[i], name))
      return i;
  return -1;
}

const char *table_cell(const struct table_row *row, int column) {
  return column >= 0 && column < row->count ? row->cells[column] : "";
}
