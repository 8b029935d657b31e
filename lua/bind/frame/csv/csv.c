// SPDX-License-Identifier: Apache-2.0
// The file: opened, read into the buffer, its row of names.
#include "lua/bind/frame/csv/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "lua/bind/frame/csv/csv_inside.h"

enum { BLOCK = 1 << 22, LARGE = 1 << 24, MOST_AT_ONCE = 1 << 26 };

static enum err io_error(const struct csv *c, struct err_info *e) {
  return err_set(e, ERR_IO, "%s: %s", c->path, strerror(errno));
}

static enum err no_memory(const struct csv *c, struct err_info *e) {
  return err_set(e, ERR_NOMEM,
                 "%s: there is no memory for it at once; {chunksize = 100000} "
                 "reads so many rows at a time",
                 c->path);
}

static void set_stops(struct csv *c) {
  c->stops[(unsigned char)c->options.separator] = true;
  c->stops['\n'] = c->stops['\r'] = true;
  if (c->options.quote)
    c->stops[(unsigned char)c->options.quote] = true;
}

// Rows are read more than once, and in several places at a time, which only a
// file on a disk allows.
static enum err check_file(struct csv *c, struct err_info *e) {
  struct stat st;
  if (fstat(c->fd, &st))
    return io_error(c, e);
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
  c->line = 1;
  na_texts_of(&c->na, o->na, o->na_count);
  set_stops(c);
  // Not to wait for a pipe's other end before check_file has seen that it is one.
  c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  enum err err = c->fd < 0 ? io_error(c, e) : check_file(c, e);
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
  free(c->buffer);
  free(c->names);
  free(c->name_ends);
  free(c);
}

// ---- The buffer ----

// Room for `bytes` behind what is in the buffer, whose rows that were read go.
static enum err make_room(struct csv *c, size_t bytes, struct err_info *e) {
  if (c->start > c->used / 2) {
    memmove(c->buffer, c->buffer + c->start, c->used - c->start);
    c->used -= c->start;
    c->start = 0;
  }
  if (c->capacity - c->used > bytes)
    return ERR_OK;
  size_t capacity = c->used + bytes + c->used / 2 + 1;
  char *buffer = realloc(c->buffer, capacity);
  if (!buffer)
    return no_memory(c, e);
  c->buffer = buffer;
  c->capacity = capacity;
  if (capacity >= LARGE)
    mem_ask_for_huge_pages(buffer, capacity);
  return ERR_OK;
}

int csv_threads(const struct csv *c, size_t most) {
  long threads = c->options.threads;
  if (threads <= 0)
    threads = sysconf(_SC_NPROCESSORS_ONLN);
  most = most < CSV_MOST_PIECES ? most : CSV_MOST_PIECES;
  threads = threads < (long)most ? threads : (long)most;
  return threads > 1 ? (int)threads : 1;
}

// What one thread reads. Copying out of the kernel's pages and into new ones of ours
// takes as long as the rest together where that is shared out and this is not.
struct part {
  int fd, error;
  char *to;
  size_t bytes, got;
  off_t at;
  pthread_t thread;
  bool is_started;
};

static void *read_part(void *context) {
  struct part *p = context;
  ssize_t n = 1;
  while (p->got < p->bytes && n > 0) {
    n = pread(p->fd, p->to + p->got, p->bytes - p->got, p->at + (off_t)p->got);
    p->got += n > 0 ? (size_t)n : 0;
    n = n < 0 && errno == EINTR ? 1 : n;
  }
  p->error = n < 0 ? errno : 0;
  return NULL;
}

// Reads on at the file's place; how many bytes, 0 where it ends. -1 and errno.
static ssize_t read_on(struct csv *c, size_t bytes) {
  struct part parts[CSV_MOST_PIECES];
  size_t least = c->options.least_piece;
  int count = csv_threads(c, bytes / (least ? least : BLOCK));
  size_t each = bytes / (size_t)count, got = 0;
  for (int i = 0; i < count; i++) {
    size_t from = (size_t)i * each;
    parts[i] = (struct part){.fd = c->fd,
                             .to = c->buffer + c->used + from,
                             .bytes = i + 1 < count ? each : bytes - from,
                             .at = c->at + (off_t)from};
    parts[i].is_started =
        i > 0 && !pthread_create(&parts[i].thread, NULL, read_part, &parts[i]);
  }
  int error = 0;
  bool is_whole = true; // up to there, without a gap
  for (int i = 0; i < count; i++) {
    if (parts[i].is_started)
      pthread_join(parts[i].thread, NULL);
    else
      read_part(&parts[i]);
    error = is_whole && !error ? parts[i].error : error;
    got += is_whole ? parts[i].got : 0;
    is_whole &= parts[i].got == parts[i].bytes;
  }
  c->at += (off_t)got;
  errno = error;
  return got || !error ? (ssize_t)got : -1;
}

enum err csv_load(struct csv *c, size_t bytes, struct err_info *e) {
  bytes = bytes < BLOCK ? BLOCK : bytes;
  enum err err = c->is_ended ? ERR_OK : make_room(c, bytes, e);
  for (size_t had = c->used; !err && !c->is_ended && c->used - had < bytes;) {
    size_t wanted = bytes - (c->used - had);
    ssize_t n = read_on(c, wanted < MOST_AT_ONCE ? wanted : MOST_AT_ONCE);
    err = n < 0 ? io_error(c, e) : csv_go_on(c, e);
    c->is_ended = n == 0;
    c->used += n > 0 ? (size_t)n : 0;
  }
  if (c->used < c->capacity)
    c->buffer[c->used] = '\n';
  return err;
}

int64_t csv_line_of(const struct csv *c, const char *at) {
  int64_t line = c->line;
  const char *p = c->buffer + c->start;
  while (p < at && (p = memchr(p, '\n', (size_t)(at - p)))) {
    p++;
    line++;
  }
  return line;
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

// The fields of the row at the buffer's start; false: it may go on.
static bool split_names(struct csv *c) {
  struct csv_piece piece = {.csv = c, .end = c->buffer + c->used};
  const char *p = csv_next_row(c, c->buffer + c->start, c->buffer + c->used);
  struct csv_field f = {.end = c->options.separator};
  c->name_count = 0;
  c->names_start = (size_t)(p - c->buffer);
  if (p >= piece.end)
    return false;
  while (f.end != '\n') {
    p = csv_next_field(&piece, p, &f, &piece.is_stray);
    if (!p || (p > piece.end && !c->is_ended))
      return false;
    add_name(c, &f);
  }
  c->names_back = c->start;
  c->names_line = c->line;
  p = p > piece.end ? piece.end : p;
  c->line = csv_line_of(c, p);
  c->start = (size_t)(p - c->buffer);
  return true;
}

enum err csv_names(struct csv *c, int *count, struct err_info *e) {
  enum err err = ERR_OK;
  bool is_found;
  while (!(is_found = split_names(c)) && !c->is_ended && !err)
    err = csv_load(c, c->used, e);
  if (!err && !is_found && c->names_start < c->used)
    err = err_set_at(e, ERR_ARGUMENT, c->path,
                     (int)csv_line_of(c, c->buffer + c->names_start), 0,
                     "a quote that is opened in this line is not closed");
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
  c->line = c->names_line;
}

// ---- Threads ----

struct job {
  struct csv_piece *piece;
  void (*work)(struct csv_piece *piece);
  pthread_t thread;
  bool is_started;
};

static void *run_job(void *context) {
  struct job *job = context;
  job->work(job->piece);
  return NULL;
}

void csv_each_piece(struct csv *c, void (*work)(struct csv_piece *piece)) {
  struct job jobs[CSV_MOST_PIECES];
  for (int i = 0; i < c->piece_count; i++) {
    jobs[i] = (struct job){&c->pieces[i], work, 0, false};
    jobs[i].is_started =
        i > 0 && !pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]);
  }
  for (int i = 0; i < c->piece_count; i++)
    if (jobs[i].is_started)
      pthread_join(jobs[i].thread, NULL);
    else
      run_job(&jobs[i]);
}
