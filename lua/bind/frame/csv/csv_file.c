// SPDX-License-Identifier: Apache-2.0
// The file's beginning in the buffer, as much as the row of names takes; all of one
// that is small.
#include "lua/bind/frame/csv/csv_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lua/bind/frame/csv/csv_threads.h"

enum { BEGINNING = 1 << 20, AT_ONCE = 1 << 16 };

enum err csv_io_error(const struct csv *c, struct err_info *e) {
  return err_set(e, ERR_IO, "%s: %s", c->path, strerror(errno));
}

enum err csv_no_memory(const struct csv *c, struct err_info *e) {
  return err_set(e, ERR_NOMEM,
                 "%s: there is no memory for it at once; {chunksize = 100000} "
                 "reads so many rows at a time",
                 c->path);
}

static enum err make_room(struct csv *c, size_t bytes, struct err_info *e) {
  if (c->capacity > c->used + bytes + CSV_PADDING)
    return ERR_OK;
  size_t capacity = c->used + bytes + c->used / 2 + CSV_PADDING + 1;
  char *buffer = realloc(c->buffer, capacity);
  if (!buffer)
    return csv_no_memory(c, e);
  c->buffer = buffer;
  c->capacity = capacity;
  return ERR_OK;
}

enum err csv_load(struct csv *c, size_t bytes, struct err_info *e) {
  size_t least = c->options.least_piece ? c->options.least_piece : BEGINNING;
  bytes = bytes < least ? least : bytes;
  enum err err = c->is_ended ? ERR_OK : make_room(c, bytes, e);
  for (size_t had = c->used; !err && !c->is_ended && c->used - had < bytes;) {
    ssize_t n = pread(c->fd, c->buffer + c->used, bytes - (c->used - had),
                      (off_t)c->used);
    if (n < 0 && errno == EINTR)
      continue;
    err = n < 0 ? csv_io_error(c, e) : csv_go_on(c, e);
    c->is_ended = n == 0;
    c->used += n > 0 ? (size_t)n : 0;
  }
  if (c->buffer)
    memset(c->buffer + c->used, '\n', CSV_PADDING);
  return err;
}

static int newlines(const char *p, size_t n) {
  int count = 0;
  for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
    count++;
  return count;
}

int csv_line_of(const struct csv *c, int64_t at) {
  if (at <= (int64_t)c->used)
    return 1 + newlines(c->buffer, (size_t)at);
  char text[AT_ONCE];
  int64_t line = 1;
  for (int64_t from = 0; from < at;) {
    size_t wanted = at - from < AT_ONCE ? (size_t)(at - from) : AT_ONCE;
    ssize_t n = pread(c->fd, text, wanted, (off_t)from);
    if (n <= 0)
      break;
    line += newlines(text, (size_t)n);
    from += n;
  }
  return line < INT_MAX ? (int)line : INT_MAX;
}
