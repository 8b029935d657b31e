// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: the open file, its pieces, its fields.
#ifndef LUA_BIND_FRAME_CSV_CSV_INSIDE_H
#define LUA_BIND_FRAME_CSV_CSV_INSIDE_H

#include <sys/types.h>

#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/csv/csv_values.h"

enum { CSV_MOST_PIECES = 64 };

// What goes wrong first in a piece, in words of the file's.
struct csv_mistake {
  const char *at; // in the buffer; NULL: nothing
  int column;     // or -1
  char text[256];
};

// Rows that one thread works on: it begins with a row.
struct csv_piece {
  struct csv *csv;
  struct csv_column *columns;
  int count; // of columns
  const char *from, *end;
  int64_t first_row, rows;
  bool is_stray; // a quote stood within a field
  struct csv_mistake mistake;
  struct csv_found *found; // of each column, by csv_scan
  struct texts **texts;    // of each column, by csv_fill
};

struct csv {
  int fd;
  char *path;
  struct csv_options options;
  struct na_texts na;
  bool stops[256]; // what can end a field, or is a quote
  char *buffer;    // then a newline
  size_t start, used, capacity;
  off_t at;      // in the file, behind the buffer
  bool is_ended; // all of the file is in the buffer
  int64_t line;  // of buffer + start
  size_t stop;   // where the rows that were looked through end
  struct csv_piece pieces[CSV_MOST_PIECES];
  int piece_count;
  char *names; // one behind the other
  size_t *name_ends;
  int name_count, name_capacity;
  size_t names_start, names_back;
  int64_t names_line;
};

// ---- Fields ----

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
// A field's text with one quote for two, in `room` (f->n bytes).
size_t csv_unquote(const struct csv *c, const struct csv_field *f, char *room);

// How many threads for so many things to do.
int csv_threads(const struct csv *c, size_t most);
// More of the file into the buffer, `bytes` at least, unless it ends.
enum err csv_load(struct csv *c, size_t bytes, struct err_info *e);
// The line of a place in the buffer.
int64_t csv_line_of(const struct csv *c, const char *at);
// Runs `work` on each piece, on a thread of its own where there are several.
void csv_each_piece(struct csv *c, void (*work)(struct csv_piece *piece));
// `cancelled`, where the caller wants no more of it.
static inline enum err csv_go_on(const struct csv *c, struct err_info *e) {
  if (c->options.is_cancelled && c->options.is_cancelled())
    return err_set(e, ERR_CANCELLED, "stopped by Ctrl-C");
  return ERR_OK;
}

#endif
