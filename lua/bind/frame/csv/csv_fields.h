// SPDX-License-Identifier: Apache-2.0
// Fields and rows of a text.
#ifndef LUA_BIND_FRAME_CSV_CSV_FIELDS_H
#define LUA_BIND_FRAME_CSV_CSV_FIELDS_H

#include "lua/bind/frame/csv/csv_inside.h"

struct csv_field {
  const char *p;
  size_t n;
  bool has_quotes; // pairs of quotes stand for one
  char end;        // what stands behind: the separator, or '\n'
};
// The next field, at or behind `p`; returns where the next one begins, which
// may be past `end`. NULL: its quote is not closed.
// Where the field is not plain: a quote stands in it.
const char *csv_other_field(const struct csv_piece *piece, const char *p,
                            struct csv_field *f, bool *is_stray);
static inline const char *csv_next_field(const struct csv_piece *piece,
                                         const char *p, struct csv_field *f,
                                         bool *is_stray) {
  const struct csv *c = piece->csv;
  const char *from = p, separator = c->options.separator;
  while (!c->stops[(unsigned char)*p])
    p++;
  if (*p != separator && *p != '\n')
    return csv_other_field(piece, from, f, is_stray);
  *f = (struct csv_field){from, (size_t)(p - from), false, *p};
  return p + 1;
}

// Past blank lines: where the next row begins, or `end`.
const char *csv_next_row(const struct csv *c, const char *p, const char *end);
// How many fields the row at `p` has; NULL: a quote is not closed.
const char *csv_pass_row(struct csv_piece *piece, const char *p, int *fields);
// A field's text with one quote for two, in `room` (f->n bytes).
size_t csv_unquote(const struct csv *c, const struct csv_field *f, char *room);

#endif
