// SPDX-License-Identifier: Apache-2.0
// Theory of operation. The text is cut into stretches of equal length, and several
// threads count at which newlines in them a row ends: those outside of quotes. Of a
// stretch's beginning that is not known, so both are counted; then it is told by
// how many quotes stand before it. A block begins behind a stretch's first such
// newline. That holds as long as each quote begins or ends a field, or is one of
// two; where another is found (5" disk), where rows end is looked for again from
// the first row on. A line that may be blank, or end otherwise, makes a block's
// number of rows unsure: they are counted by looking at each field.
#include "lua/bind/frame/csv/csv_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "lua/bind/frame/csv/csv_fields.h"
#include "lua/bind/frame/csv/csv_file.h"
#include "lua/bind/frame/csv/csv_threads.h"
#ifdef __SSE2__
#  include <emmintrin.h>
#endif

enum {
  LEAST_BLOCK = 1 << 16,
  MOST_BLOCK = 1 << 19,
  BLOCKS_EACH = 6, // of a thread, at least
  GROUP = 64,
  SAMPLE = 1 << 16,
};

// What stands in a stretch: [0] as it is if that begins outside of quotes, [1] if
// within them.
struct stretch {
  int64_t ends[2], first[2], last[2]; // newlines that end a row
  size_t looked_at;                   // behind so many bytes stands another one
  bool is_odd[2];                     // rows may be others than those
  bool has_quotes;
  bool is_switched; // it ends within quotes if it does not begin so
};

// The stretches of [from, from + count * bytes), for csv_run's workers.
struct stretches {
  struct stretch *list;
  int64_t from, bytes;
};

// ---- Counting ----

// Bit i: p[i] is `byte`.
static uint64_t places_of(const char *p, char byte) {
  uint64_t places = 0;
#ifdef __SSE2__
  const __m128i all = _mm_set1_epi8(byte);
  for (int i = 0; i < GROUP; i += 16) {
    __m128i part = _mm_loadu_si128((const __m128i *)(p + i));
    uint64_t bits = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all));
    places |= bits << i;
  }
#else
  for (int i = 0; i < GROUP; i++)
    places |= (uint64_t)(p[i] == byte) << i;
#endif
  return places;
}

// Bit i: how many bits up to i are set, odd or even.
static uint64_t parities(uint64_t bits) {
  for (int by = 1; by < GROUP; by *= 2)
    bits ^= bits << by;
  return bits;
}

static bool may_be_blank(char c) {
  return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

// Newlines of a group at `at` in the text, whose `inside` is within quotes if the
// stretch's first byte is outside of them.
static void count_ends(struct stretch *s, const char *text, size_t at,
                       uint64_t newlines, uint64_t inside) {
  for (; newlines; newlines &= newlines - 1) {
    int bit = __builtin_ctzll(newlines);
    size_t i = at + (size_t)bit;
    int way = (int)(inside >> bit & 1);
    if (s->ends[way]++ == 0)
      s->first[way] = (int64_t)i;
    s->last[way] = (int64_t)i;
    s->is_odd[way] |= i < s->looked_at && may_be_blank(text[i + 1]);
  }
}

// A carriage return that stands alone ends a row.
static void look_at_returns(struct stretch *s, const char *text, size_t at,
                            uint64_t returns) {
  for (; returns; returns &= returns - 1) {
    size_t i = at + (size_t)__builtin_ctzll(returns);
    if (i >= s->looked_at || text[i + 1] != '\n')
      s->is_odd[0] = s->is_odd[1] = true;
  }
}

// `is_end`: the file ends behind it; else the byte behind it is the next one's.
static void count(struct stretch *s, const char *text, size_t n, char quote,
                  bool is_end) {
  *s = (struct stretch){.looked_at = is_end && n ? n - 1 : n};
  uint64_t before = 0; // all bits: within quotes
  for (size_t at = 0; at < n; at += GROUP) {
    uint64_t valid = n - at < GROUP ? (1ull << (n - at)) - 1 : ~0ull;
    uint64_t newlines = places_of(text + at, '\n') & valid, inside = before;
    uint64_t returns = places_of(text + at, '\r') & valid;
    uint64_t quotes = quote ? places_of(text + at, quote) & valid : 0;
    if (quotes) {
      s->has_quotes = true;
      inside ^= parities(quotes);
      before = (uint64_t)((int64_t)inside >> 63);
    }
    count_ends(s, text, at, newlines, inside);
    if (returns)
      look_at_returns(s, text, at, returns);
  }
  s->is_switched = before & 1;
}

static void count_stretches(struct csv_worker *w) {
  struct csv *c = w->csv;
  const struct stretches *all = c->stretches;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    int64_t from = all->from + i * all->bytes, to = from + all->bytes;
    bool is_end = to >= c->size;
    size_t n;
    const char *text = csv_block_text(w, from, to + 1, &n);
    if (!text)
      return;
    n = n < (size_t)all->bytes ? n : (size_t)all->bytes;
    count(&all->list[i], text, n, c->options.quote, is_end);
    all->list[i].is_odd[0] |= i == 0 && n && may_be_blank(*text);
  }
}

// ---- Blocks of stretches ----

// Rows end behind the file's last byte, too, where no newline stands there.
static void end_blocks(struct csv *c, struct csv_block *last, bool is_end,
                       bool is_ended) {
  if (is_end && !is_ended && last->from < c->size)
    last->rows++;
  c->block_count = last - c->blocks + is_end;
  c->blocks[c->block_count].from = is_end ? c->size : last->from;
}

static void make_blocks(struct csv *c, const struct stretches *s, int64_t count,
                        bool is_end) {
  const bool is_sure = !c->options.skips_bad_lines;
  struct csv_block *b = c->blocks;
  int inside = 0, way = 0;
  *b = (struct csv_block){.from = s->from, .is_sure = is_sure};
  c->has_quotes = false;
  for (int64_t i = 0; i < count; i++, inside ^= s->list[i - 1].is_switched) {
    const struct stretch *one = &s->list[i];
    way = inside;
    c->has_quotes |= one->has_quotes;
    b->is_sure &= !one->is_odd[way];
    if (i == 0) {
      b->rows = one->ends[way];
    } else if (one->ends[way]) {
      b->rows++;
      *++b = (struct csv_block){.from = s->from + i * s->bytes +
                                        one->first[way] + 1,
                                .rows = one->ends[way] - 1,
                                .is_sure = is_sure && !one->is_odd[way]};
    }
  }
  const struct stretch *end = count ? &s->list[count - 1] : NULL;
  end_blocks(c, b, is_end,
             end && end->ends[way] &&
                 s->from + (count - 1) * s->bytes + end->last[way] + 1 ==
                     c->size);
}

// ---- Rows one by one ----

// Is the row at `p` one that is to be left out? `next` gets where it ends; NULL: a
// quote in it is not closed.
static bool pass(struct csv_piece *piece, const char *p, const char **next) {
  int fields;
  *next = csv_pass_row(piece, p, &fields);
  return piece->csv->options.skips_bad_lines && *next &&
         fields > piece->csv->count;
}

// Passes over `most` rows of the piece (negative: all), but not over one that goes on
// behind it unless `is_end`; how many, and behind which place.
static int64_t pass_rows(struct csv_piece *piece, int64_t most, bool is_end,
                         const char **stop) {
  int64_t rows = 0;
  const char *p = csv_next_row(piece->csv, piece->from, piece->end);
  *stop = piece->from;
  while (p < piece->end && rows != most) {
    const char *next;
    bool is_left_out = pass(piece, p, &next);
    if (!next || next > piece->end) {
      if (!is_end)
        return rows;
      next = piece->end;
    }
    rows += !is_left_out;
    *stop = next;
    p = csv_next_row(piece->csv, next, piece->end);
  }
  if (p >= piece->end && is_end)
    *stop = piece->end;
  return rows;
}

// Where `most` of the block's rows end, and how many there are; -1: csv_run ends.
static int64_t rows_of(struct csv_worker *w, int64_t block, int64_t most,
                       int64_t *end) {
  struct csv *c = w->csv;
  const struct csv_block *b = &c->blocks[block];
  size_t n;
  const char *text = csv_block_text(w, b[0].from, b[1].from, &n), *stop;
  if (!text)
    return -1;
  w->piece = (struct csv_piece){.csv = c, .from = text, .end = text + n};
  int64_t rows = pass_rows(&w->piece, most, true, &stop);
  *end = b->from + (stop - text);
  return rows;
}

static void count_unsure(struct csv_worker *w) {
  struct csv *c = w->csv;
  int64_t end;
  for (int64_t i; (i = csv_take_block(c)) >= 0;) {
    struct csv_block *b = &c->blocks[i];
    if (!b->is_sure && (b->rows = rows_of(w, i, -1, &end)) < 0)
      return;
  }
}

// The block from `from` on, of at least a row; false: csv_run ends.
static bool find_block(struct csv_worker *w, struct csv_block *b, int64_t bytes,
                       int64_t most) {
  struct csv *c = w->csv;
  const char *stop;
  for (;; bytes *= 2) {
    size_t n;
    const char *text = csv_block_text(w, b->from, b->from + bytes, &n);
    if (!text)
      return false;
    bool is_end = b->from + bytes >= c->size;
    w->piece = (struct csv_piece){.csv = c, .from = text, .end = text + n};
    b->rows = pass_rows(&w->piece, most, is_end, &stop);
    b[1].from =
        is_end && stop == w->piece.end ? c->size : b->from + (stop - text);
    if (stop > text || is_end)
      return true;
  }
}

// ---- Which ones ----

static int64_t bytes_of_block(const struct csv *c, int64_t bytes) {
  int64_t least = (int64_t)c->options.least_piece;
  if (least)
    return least;
  int64_t each = bytes / ((int64_t)csv_threads(c, bytes) * BLOCKS_EACH);
  return each < LEAST_BLOCK  ? LEAST_BLOCK
         : each > MOST_BLOCK ? MOST_BLOCK
                             : each;
}

// Number them, and let them end behind `most` rows.
static enum err number(struct csv *c, int64_t most, struct err_info *e) {
  int64_t rows = 0;
  struct csv_block *b = c->blocks;
  for (; b < c->blocks + c->block_count && (most < 0 || rows < most); b++) {
    b->first_row = rows;
    rows += b->rows;
  }
  c->block_count = b - c->blocks;
  b->first_row = rows;
  if (most < 0 || rows <= most)
    return ERR_OK;
  b[-1].rows = most - b[-1].first_row;
  b->first_row = most;
  c->workers[0].csv = c;
  atomic_store(&c->stop, ERR_OK);
  if (rows_of(&c->workers[0], c->block_count - 1, b[-1].rows, &b->from) >= 0)
    return ERR_OK;
  *e = c->error;
  return (enum err)atomic_load(&c->stop);
}

static enum err make_room(struct csv *c, int64_t blocks, struct err_info *e) {
  struct csv_block *room =
      realloc(c->blocks, ((size_t)blocks + 2) * sizeof *room);
  if (!room)
    return csv_no_memory(c, e);
  c->blocks = room;
  c->block_count = 0;
  return ERR_OK;
}

static bool has_unsure(const struct csv *c) {
  for (int64_t i = 0; i < c->block_count; i++)
    if (!c->blocks[i].is_sure)
      return true;
  return false;
}

// The blocks of the next `span` bytes of the file, or of those that are left.
static enum err find_in(struct csv *c, int64_t span, struct err_info *e) {
  int64_t bytes = bytes_of_block(c, span), left = c->size - c->start;
  span = span < left ? span : left;
  int64_t count = (span + bytes - 1) / bytes;
  struct stretches all = {NULL, c->start, bytes};
  enum err err = make_room(c, count, e);
  if (!err && !(all.list = malloc(((size_t)count + 1) * sizeof *all.list)))
    err = csv_no_memory(c, e);
  if (!err) {
    c->block_count = count;
    c->stretches = &all;
    err = csv_run(c, csv_threads(c, count), count_stretches, e);
    c->stretches = NULL;
  }
  if (!err)
    make_blocks(c, &all, count, count * bytes >= left);
  free(all.list);
  if (!err && has_unsure(c))
    err = csv_run(c, csv_threads(c, c->block_count), count_unsure, e);
  return err;
}

// One behind the other.
static enum err find_slowly(struct csv *c, int64_t most, struct err_info *e) {
  int64_t room = 0, rows = 0, bytes = bytes_of_block(c, c->size - c->start);
  struct csv_worker *w = &c->workers[0];
  enum err err = make_room(c, 0, e);
  w->csv = c;
  atomic_store(&c->stop, ERR_OK);
  c->blocks[0] = (struct csv_block){.from = c->start};
  for (int64_t i = 0; !err && c->blocks[i].from < c->size && rows != most;
       i++) {
    if (i == room) {
      int64_t had = c->block_count;
      err = make_room(c, room = 2 * room + 16, e);
      c->block_count = had;
    }
    c->blocks[i].is_sure = true;
    if (err || (err = csv_go_on(c, e)))
      break;
    if (!find_block(w, &c->blocks[i], bytes, most < 0 ? -1 : most - rows)) {
      *e = c->error;
      return (enum err)atomic_load(&c->stop);
    }
    rows += c->blocks[i].rows;
    c->block_count = i + 1;
  }
  return err;
}

// Of a row, about, before one was read.
static int64_t first_row_bytes(const struct csv *c) {
  int64_t bytes = (int64_t)c->used - c->start, rows = 1;
  if (bytes <= 0)
    return 1;
  bytes = bytes < SAMPLE ? bytes : SAMPLE;
  for (int64_t i = 0; i < bytes; i++)
    rows += c->buffer[c->start + i] == '\n';
  return bytes / rows + 1;
}

static enum err find_quickly(struct csv *c, int64_t most, struct err_info *e) {
  if (most < 0)
    return find_in(c, c->size - c->start, e);
  if (!c->row_bytes)
    c->row_bytes = first_row_bytes(c);
  int64_t left = c->size - c->start, span = left;
  if (most < left / c->row_bytes)
    span = most * c->row_bytes + most / 16 * c->row_bytes + LEAST_BLOCK;
  for (;; span = span < left / 2 ? 2 * span : left) {
    int64_t rows = 0;
    enum err err = find_in(c, span, e);
    for (int64_t i = 0; i < c->block_count && !err; i++)
      rows += c->blocks[i].rows;
    if (err || rows >= most || span >= left)
      return err;
  }
}

enum err csv_find_blocks(struct csv *c, int64_t most, struct err_info *e) {
  enum err err = ERR_OK;
  if (c->size <= (int64_t)c->used) // of a file in /proc the size is not known
    while (!c->is_ended && !err)
      err = csv_load(c, c->used, e);
  if (c->is_ended)
    c->size = (int64_t)c->used;
  if (err)
    return err;
  if (c->start > c->size)
    c->size = c->start; // it was made shorter
  err = c->has_stray ? find_slowly(c, most, e) : find_quickly(c, most, e);
  if (!err)
    err = number(c, most, e);
  if (!err && csv_rows(c) > 0)
    c->row_bytes =
        (c->blocks[c->block_count].from - c->start) / csv_rows(c) + 1;
  return err;
}
