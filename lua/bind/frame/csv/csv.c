// SPDX-License-Identifier: Apache-2.0
// Opened, its row of names.
#include "lua/bind/frame/csv/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "lua/bind/frame/csv/csv_fields.h"
#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_texts.h"

static void set_stops(struct csv *c) {
  c->stops[(unsigned char)c->options.separator] = true;
  c->stops['\n'] = c->stops['\r'] = true;
  if (c->options.quote)
    c->stops[(unsigned char)c->options.quote] = true;
  // Of a text that is a number to its end, this can be told without looking on.
  c->is_quick =
      !strchr("0123456789+-.", c->options.separator) &&
      !(c->options.quote && strchr("0123456789+-.", c->options.quote)) &&
      !c->na.has_number;
}

// Rows are read more than once, and in several places at a time, which only a
// file on a disk allows.
static enum err check_file(struct csv *c, struct err_info *e) {
  struct stat st;
  if (fstat(c->fd, &st))
    return csv_io_error(c, e);
  c->size = st.st_size;
  if (S_ISREG(st.st_mode))
    return ERR_OK;
  if (S_ISDIR(st.st_mode))
    return err_set(e, ERR_IO,
                   "%s: it is a folder, not a file; name a file in it",
                   c->path);
  const char *what = S_ISFIFO(st.st_mode)   ? "a pipe"
                     : S_ISSOCK(st.st_mode) ? "a socket"
                                            : "a device";
  return err_set(e, ERR_IO,
                 "%s: it is %s, not a file on a disk; put what comes out of it "
                 "into a file first: cat %s > x.csv",
                 c->path, what, c->path);
}

// Past the mark of UTF-8; that of UTF-16 is an error.
static enum err skip_mark(struct csv *c, struct err_info *e) {
  enum err err = csv_load(c, 3, e);
  if (err)
    return err;
  if (c->used >= 3 && !memcmp(c->buffer, "\xef\xbb\xbf", 3))
    c->start = 3;
  else if (c->used >= 2 && (!memcmp(c->buffer, "\xff\xfe", 2) ||
                            !memcmp(c->buffer, "\xfe\xff", 2)))
    return err_set(e, ERR_ARGUMENT,
                   "%s: it is written in UTF-16; `iconv -f UTF-16 -t UTF-8` "
                   "makes a file that can be read",
                   c->path);
  return ERR_OK;
}

enum err csv_open(const char *path, const struct csv_options *o,
                  struct csv **out, struct err_info *e) {
  struct csv *c = xcalloc(1, sizeof *c);
  c->options = *o;
  c->path = xstrdup(path);
  pthread_mutex_init(&c->lock, NULL);
  na_texts_of(&c->na, o->na, o->na_count);
  set_stops(c);
  // Not to wait for a pipe's other end before check_file has seen that it is one.
  c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  enum err err = c->fd < 0 ? csv_io_error(c, e) : check_file(c, e);
  if (!err)
    err = skip_mark(c, e);
  if (!err)
    *out = c;
  else
    csv_close(c);
  return err;
}

void csv_close(struct csv *c) {
  if (!c)
    return;
  if (c->fd >= 0)
    close(c->fd);
  free(c->path);
  csv_free_books(c);
  for (int i = 0; i < CSV_MOST_THREADS; i++)
    free(c->workers[i].room);
  free(c->blocks);
  free(c->sample);
  free(c->found);
  pthread_mutex_destroy(&c->lock);
  free(c->buffer);
  free(c->names);
  free(c->name_ends);
  free(c);
}

// ---- Names ----

static void add_name(struct csv *c, const struct csv_field *f) {
  if (c->name_count == c->name_capacity) {
    c->name_capacity = c->name_capacity ? 2 * c->name_capacity : 16;
    c->name_ends =
        xrealloc(c->name_ends, (size_t)c->name_capacity * sizeof *c->name_ends);
  }
  size_t from = c->name_count ? c->name_ends[c->name_count - 1] : 0;
  c->names = xrealloc(c->names, from + f->n + 1);
  size_t n = f->n;
  if (f->has_quotes)
    n = csv_unquote(c, f, c->names + from);
  else
    memcpy(c->names + from, f->p, n);
  c->name_ends[c->name_count++] = from + n;
}

// The fields of the next row; false: it may go on behind the buffer.
static bool split_names(struct csv *c) {
  if (c->start > (int64_t)c->used)
    return false;
  struct csv_piece piece = {.csv = c, .end = c->buffer + c->used};
  const char *p = csv_next_row(c, c->buffer + c->start, piece.end);
  struct csv_field f = {.end = c->options.separator};
  c->name_count = 0;
  c->names_start = p - c->buffer;
  if (p >= piece.end)
    return false;
  while (f.end != '\n') {
    p = csv_next_field(&piece, p, &f, &piece.is_stray);
    if (!p || (p > piece.end && !c->is_ended))
      return false;
    add_name(c, &f);
  }
  c->names_back = c->start;
  c->start = (p > piece.end ? piece.end : p) - c->buffer;
  return true;
}

enum err csv_names(struct csv *c, int *count, struct err_info *e) {
  enum err err = ERR_OK;
  bool is_found;
  while (!(is_found = split_names(c)) && !c->is_ended && !err)
    err = csv_load(c, c->used, e);
  if (!err && !is_found && c->names_start < (int64_t)c->used)
    err = err_set_at(e, ERR_ARGUMENT, c->path, csv_line_of(c, c->names_start),
                     0, "a quote that is opened in this line is not closed");
  *count = is_found ? c->name_count : 0;
  return err;
}

const char *csv_name(const struct csv *c, int i, size_t *n) {
  size_t from = i ? c->name_ends[i - 1] : 0;
  *n = c->name_ends[i] - from;
  return c->names + from;
}

void csv_back(struct csv *c) {
  c->start = c->names_back;
}
