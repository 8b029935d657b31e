// SPDX-License-Identifier: Apache-2.0
// Fields and rows of a text. Behind its last byte stands a newline, so that a
// search for a field's end needs no look at the text's.
#include "lua/bind/frame/csv/csv_fields.h"

#include <string.h>

// What stands at `p` ends the field: past it.
static const char *past_end(const struct csv *c, const char *p,
                            struct csv_field *f) {
  if (*p == c->options.separator) {
    f->end = *p;
    return p + 1;
  }
  f->end = '\n';
  return p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
}

static const char *plain_field(const struct csv_piece *piece, const char *p,
                               struct csv_field *f, bool *is_stray) {
  const struct csv *c = piece->csv;
  const char *from = p;
  for (;; p++) {
    while (!c->stops[(unsigned char)*p])
      p++;
    if (*p != c->options.quote || p >= piece->end)
      break;
    *is_stray = true; // of pandas, too, it is a character like others here
  }
  f->p = from;
  f->n = (size_t)(p - from);
  return past_end(c, p, f);
}

// Behind an opening quote. What follows the closing one up to the field's end
// belongs to the text, as in pandas.
static const char *quoted_field(const struct csv_piece *piece, const char *p,
                                struct csv_field *f, bool *is_stray) {
  const struct csv *c = piece->csv;
  const char quote = c->options.quote, *from = p, *end = piece->end;
  f->has_quotes = false;
  for (;;) {
    p = memchr(p, quote, (size_t)(end - p));
    if (!p)
      return NULL;
    if (p + 1 < end && p[1] == quote) {
      f->has_quotes = true;
      p += 2;
      continue;
    }
    f->p = from;
    f->n = (size_t)(p - from);
    if (c->stops[(unsigned char)p[1]] && p[1] != quote)
      return past_end(c, p + 1, f);
    *is_stray = true;
    while (!c->stops[(unsigned char)*++p] || (*p == quote && p < end)) {
    }
    f->n = (size_t)(p - from);
    f->has_quotes = true;
    return past_end(c, p, f);
  }
}

const char *csv_other_field(const struct csv_piece *piece, const char *p,
                            struct csv_field *f, bool *is_stray) {
  f->has_quotes = false;
  if (p < piece->end && *p == piece->csv->options.quote && *p)
    return quoted_field(piece, p + 1, f, is_stray);
  return plain_field(piece, p, f, is_stray);
}

const char *csv_pass_row(struct csv_piece *piece, const char *p, int *fields) {
  struct csv_field f = {.end = piece->csv->options.separator};
  for (*fields = 0; p && f.end != '\n'; ++*fields)
    p = csv_next_field(piece, p, &f, &piece->is_stray);
  return p;
}

const char *csv_next_row(const struct csv *c, const char *p, const char *end) {
  const char *row = p;
  while (p < end) {
    if (*p == '\n' || *p == '\r')
      row = p + 1;
    else if ((*p != ' ' && *p != '\t') || *p == c->options.separator)
      return row;
    p++;
  }
  return end;
}

size_t csv_unquote(const struct csv *c, const struct csv_field *f, char *room) {
  size_t n = 0;
  for (size_t i = 0; i < f->n; i++) {
    if (f->p[i] == c->options.quote &&
        (i + 1 == f->n || f->p[i + 1] != c->options.quote))
      continue; // the closing one, where more follows
    i += f->p[i] == c->options.quote;
    room[n++] = f->p[i];
  }
  return n;
}
