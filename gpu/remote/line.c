// SPDX-License-Identifier: Apache-2.0
// Messages over a byte stream: a head, what stands behind it, and the check of
// both. A stream that is torn or holds something else is never read on.
#include "gpu/remote/line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { CHUNK_BYTES = 256 << 10 };

#define TEXT(n)    #n
#define TEXT_OF(n) TEXT(n)

// ---- The check ----

// Eight bytes a step: as fast as memory, and any torn or strange byte shows.
static uint64_t check_more(uint64_t check, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (; bytes; p += 8) {
    uint64_t word = 0;
    size_t n = bytes < 8 ? bytes : 8;
    memcpy(&word, p, n);
    check = (check ^ word) * 0x9E3779B97F4A7C15ull;
    check ^= check >> 29;
    bytes -= n;
  }
  return check;
}

static uint64_t check_head(const struct line_head *h) {
  return check_more(LINE_MAGIC, h, offsetof(struct line_head, check));
}

// ---- Sending ----

// Bytes of host arrays, and how much of what is small goes before them.
struct line_part {
  const void *data;
  size_t bytes, small_before;
};

static void add_small(struct line *l, const void *data, size_t bytes) {
  if (l->small_bytes + bytes > l->small_room) {
    l->small_room = 2 * (l->small_bytes + bytes);
    l->small = xrealloc(l->small, l->small_room);
  }
  memcpy(l->small + l->small_bytes, data, bytes);
  l->small_bytes += bytes;
}

static void add_part(struct line *l, const void *data, size_t bytes) {
  if (l->part_count == l->part_room) {
    l->part_room = l->part_room ? 2 * l->part_room : 64;
    l->parts = xrealloc(l->parts, l->part_room * sizeof *l->parts);
  }
  l->parts[l->part_count++] = (struct line_part){data, bytes, l->small_bytes};
}

void line_put(struct line *l, enum line_kind kind, uint64_t a, uint64_t b,
              const void *data, size_t bytes) {
  struct line_head h = {
      .magic = LINE_MAGIC, .kind = kind, .bytes = bytes, .a = a, .b = b};
  h.check = check_head(&h);
  add_small(l, &h, sizeof h);
  if (!bytes)
    return;
  if (kind == LINE_DATA_IN || kind == LINE_DATA_OUT) {
    add_part(l, data, bytes);
    return;
  }
  uint64_t check = check_more(LINE_MAGIC, data, bytes);
  add_small(l, data, bytes);
  add_small(l, &check, sizeof check);
}

// Copied first and checked then: whoever still writes to an array tears no
// message.
static bool write_part(struct line *l, const struct line_part *p) {
  uint64_t check = LINE_MAGIC;
  unsigned char *chunk = xmalloc(CHUNK_BYTES);
  bool is_sent = true;
  for (size_t at = 0; at < p->bytes && is_sent; at += CHUNK_BYTES) {
    size_t n = p->bytes - at < CHUNK_BYTES ? p->bytes - at : CHUNK_BYTES;
    memcpy(chunk, (const char *)p->data + at, n);
    check = check_more(check, chunk, n);
    is_sent = file_write_all(l->out, chunk, n);
  }
  free(chunk);
  return is_sent && file_write_all(l->out, &check, sizeof check);
}

void line_move(struct line *from, struct line *to) {
  struct line was = *to;
  to->parts = from->parts;
  to->part_count = from->part_count;
  to->part_room = from->part_room;
  to->small = from->small;
  to->small_bytes = from->small_bytes;
  to->small_room = from->small_room;
  from->parts = was.parts;
  from->part_room = was.part_room;
  from->small = was.small;
  from->small_room = was.small_room;
  from->part_count = from->small_bytes = 0;
}

// Behind them goes the end of a line: what carries the stream may wait for one
// (slurmstepd does).
bool line_send(struct line *l) {
  size_t at = 0;
  if (l->small_bytes)
    add_small(l, "\n", 1);
  bool is_sent = true;
  for (size_t i = 0; i < l->part_count && is_sent; i++) {
    const struct line_part *p = &l->parts[i];
    is_sent = file_write_all(l->out, l->small + at, p->small_before - at) &&
              write_part(l, p);
    at = p->small_before;
  }
  if (is_sent && l->small_bytes > at)
    is_sent = file_write_all(l->out, l->small + at, l->small_bytes - at);
  l->part_count = l->small_bytes = 0;
  return is_sent;
}

// ---- Receiving ----

// How many bytes came before the stream ended.
static size_t read_all(int fd, void *to, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    ssize_t n = read(fd, (char *)to + got, bytes - got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    got += (size_t)n;
  }
  return got;
}

// The same of the line, whose other end says something in time.
static size_t receive(struct line *l, void *to, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    struct pollfd file = {l->in, POLLIN, 0};
    int n = poll(&file, 1, l->is_patient ? -1 : LINE_QUIET_S * 1000);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0) {
      l->wrong = "nothing has come over it for " TEXT_OF(LINE_QUIET) " s";
      break;
    }
    ssize_t some = read(l->in, (char *)to + got, bytes - got);
    if (some < 0 && errno == EINTR)
      continue;
    if (some <= 0)
      break;
    got += (size_t)some;
  }
  return got;
}

static void say_torn(struct line *l) {
  if (!l->wrong)
    l->wrong = "it ended in the middle of a message";
}

// "Welcome to ..." of a program that greets where only messages may come.
static void keep_odd(struct line *l, const void *data, size_t bytes) {
  size_t n = 0;
  for (const unsigned char *p = data; n < bytes && n < sizeof l->odd - 1; n++) {
    if (p[n] < ' ' || p[n] > '~')
      break;
    l->odd[n] = (char)p[n];
  }
  l->odd[n] = 0;
}

bool line_next(struct line *l, struct line_head *h) {
  if (l->wrong)
    return false;
  size_t got;
  do
    got = receive(l, h, 1);
  while (got && *(const char *)h == '\n');
  got += got ? receive(l, (char *)h + 1, sizeof *h - 1) : 0;
  if (!got) {
    l->wrong = l->wrong ? l->wrong : "it ended";
  } else if (got < sizeof h->magic || h->magic != LINE_MAGIC) {
    l->wrong = "what came over it is no message";
    keep_odd(l, h, got);
  } else if (got < sizeof *h) {
    say_torn(l);
  } else if (h->check != check_head(h) || h->kind >= LINE_KIND_COUNT) {
    l->wrong = "a message came damaged";
  }
  return !l->wrong;
}

bool line_take(struct line *l, const struct line_head *h, void *to) {
  uint64_t check = 0;
  if (l->wrong || !h->bytes)
    return !l->wrong;
  if (receive(l, to, h->bytes) < h->bytes ||
      receive(l, &check, sizeof check) < sizeof check)
    say_torn(l);
  else if (check != check_more(LINE_MAGIC, to, h->bytes))
    l->wrong = "a message came damaged";
  return !l->wrong;
}

// ---- Who speaks ----

uint64_t line_build(void) {
  uint64_t check = 1;
  unsigned char *text = xmalloc(CHUNK_BYTES);
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  for (size_t n; fd >= 0 && (n = read_all(fd, text, CHUNK_BYTES)) > 0;)
    check = check_more(check, text, n);
  if (fd >= 0)
    close(fd);
  free(text);
  return check;
}

void line_introduce(struct line_hello *h) {
  memset(h, 0, sizeof *h);
  h->version = REMOTE_VERSION;
  h->layout = remote_layout();
  h->build = line_build();
  h->left_s = -1;
  snprintf(h->text, sizeof h->text, "%s", WARPSHOP_VERSION);
}

enum err line_check_hello(const struct line_hello *ours,
                          const struct line_hello *theirs, struct err_info *e) {
  if (theirs->version == ours->version && theirs->layout == ours->layout &&
      theirs->build == ours->build)
    return ERR_OK;
  return err_set(e, ERR_PROTOCOL,
                 "warpshop-device is another build there (%.40s, %08x) than "
                 "here (%.40s, %08x): both machines must run one installation",
                 theirs->text, (unsigned)theirs->build, ours->text,
                 (unsigned)ours->build);
}
