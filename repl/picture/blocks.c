// SPDX-License-Identifier: Apache-2.0
// :blocks: which multiprocessor ran which block, and when, as bars over clocks.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/picture/picture.h"

enum {
  LABEL = 5,
  MOST_CHART = 100,
  LEAST_ROWS = 16,
  AROUND = 6, // rows of a screen that are no multiprocessor's
  MOST_LANES = 4,
};

struct bars {
  int columns;
  char row[MOST_LANES][MOST_CHART + 2];
  uint64_t until[MOST_LANES];
  int lanes;
  size_t hidden; // blocks that found no row
};

static int column_of(const struct picture_blocks *b, const struct bars *s,
                     uint64_t clock) {
  return b->clocks ? (int)((double)clock / (double)b->clocks * s->columns) : 0;
}

// "|12---|" over the block's time; its number where there is room.
static void draw_bar(struct bars *s, int lane, int from, int to,
                     uint32_t number) {
  char digits[12];
  int n = snprintf(digits, sizeof digits, "%u", number);
  char *row = s->row[lane];
  for (int i = from + 1; i < to; i++)
    row[i] = '-';
  row[from] = row[to] = '|';
  if (n < to - from)
    memcpy(row + from + 1, digits, (size_t)n);
}

static void add_block(const struct picture_blocks *b, struct bars *s,
                      const struct picture_block *x) {
  int lane = 0;
  while (lane < s->lanes && s->until[lane] > x->start)
    lane++;
  if (lane == MOST_LANES) {
    s->hidden++;
    return;
  }
  if (lane == s->lanes) {
    memset(s->row[lane], ' ', (size_t)s->columns + 1);
    s->row[lane][s->columns + 1] = 0;
    s->lanes++;
  }
  s->until[lane] = x->stop;
  draw_bar(s, lane, column_of(b, s, x->start), column_of(b, s, x->stop),
           x->number);
}

static void add_row(const struct picture_blocks *b, uint32_t multiprocessor,
                    int columns, struct str *out) {
  struct bars s = {.columns = columns};
  for (size_t i = 0; i < b->count; i++)
    if (b->list[i].multiprocessor == multiprocessor)
      add_block(b, &s, &b->list[i]);
  for (int lane = 0; lane < s.lanes; lane++) {
    size_t n = strlen(s.row[lane]);
    while (n && s.row[lane][n - 1] == ' ')
      n--;
    if (lane)
      str_addf(out, "%*s%.*s\n", LABEL, "", (int)n, s.row[lane]);
    else
      str_addf(out, "%*u  %.*s\n", LABEL - 2, multiprocessor, (int)n,
               s.row[lane]);
  }
  if (s.hidden)
    str_addf(out, "%*sand %zu block%s more at the same time\n", LABEL, "",
             s.hidden, picture_plural(s.hidden));
}

// What ran on one.
struct sums {
  size_t count;
  uint64_t end;   // clock
  uint32_t first; // block
};

static struct sums sums_of(const struct picture_blocks *b,
                           uint32_t multiprocessor) {
  struct sums s = {0};
  for (size_t i = 0; i < b->count; i++) {
    if (b->list[i].multiprocessor != multiprocessor)
      continue;
    s.first = s.count++ ? s.first : b->list[i].number;
    s.end = b->list[i].stop > s.end ? b->list[i].stop : s.end;
  }
  return s;
}

static bool is_idle(const struct picture_blocks *b, uint32_t multiprocessor) {
  return !sums_of(b, multiprocessor).count;
}

// From that one on, and the last of them.
static uint32_t add_idle(const struct picture_blocks *b, uint32_t first,
                         uint32_t end, struct str *out) {
  uint32_t last = first;
  while (last + 1 < end && is_idle(b, last + 1))
    last++;
  if (last > first)
    str_addf(out, "%*u-%u no block\n", LABEL - 2, first, last);
  else
    str_addf(out, "%*u  no block\n", LABEL - 2, first);
  return last;
}

static bool is_alike(const struct sums *x, struct sums y) {
  return x->count == y.count && x->end == y.end;
}

// The last of those from `first` on that did the same.
static uint32_t last_alike(const struct picture_blocks *b, uint32_t first,
                           uint32_t end) {
  struct sums s = sums_of(b, first);
  while (first + 1 < end && is_alike(&s, sums_of(b, first + 1)))
    first++;
  return first;
}

// What is over within a column is no bar: "  4-15 |3 blocks each, until clock 870".
static bool is_short(const struct picture_blocks *b, uint32_t multiprocessor,
                     int columns) {
  struct bars s = {.columns = columns};
  return column_of(b, &s, sums_of(b, multiprocessor).end) < 2;
}

static uint32_t add_short(const struct picture_blocks *b, uint32_t first,
                          uint32_t end, struct str *out) {
  struct sums s = sums_of(b, first);
  uint32_t last = last_alike(b, first, end);
  if (last > first)
    str_addf(out, "%*u-%u | %zu block%s each, until clock %" PRIu64 "\n",
             LABEL - 2, first, last, s.count, s.count == 1 ? "" : "s", s.end);
  else
    str_addf(out, "%*u  | %zu block%s until clock %" PRIu64 "\n", LABEL - 2,
             first, s.count, s.count == 1 ? "" : "s", s.end);
  return last;
}

// The multiprocessors that did the same are one sentence; the last of them.
static uint32_t say_rows(const struct picture_blocks *b, uint32_t first,
                         uint32_t end, struct str *out) {
  struct sums s = sums_of(b, first);
  uint32_t last = last_alike(b, first, end);
  const char *plural = s.count == 1 ? "" : "s";
  if (s.count && last == first)
    str_addf(out,
             "Multiprocessor %u ran %zu block%s, the first number %u, until "
             "clock %" PRIu64 ".\n",
             first, s.count, plural, s.first, s.end);
  else if (s.count)
    str_addf(out,
             "Multiprocessors %u to %u ran %zu block%s each, until clock "
             "%" PRIu64 ".\n",
             first, last, s.count, plural, s.end);
  return last;
}

// How many have no block at all.
static uint32_t count_idle(const struct picture_blocks *b) {
  bool *has = xcalloc((size_t)b->multiprocessors + 1, sizeof *has);
  uint32_t idle = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->list[i].multiprocessor < b->multiprocessors)
      has[b->list[i].multiprocessor] = true;
  for (uint32_t m = 0; m < b->multiprocessors; m++)
    idle += !has[m];
  free(has);
  return idle;
}

// From multiprocessor `m` on; the last that stands there. No columns: a sentence.
static uint32_t add_rows(const struct picture_blocks *b, uint32_t m,
                         uint32_t end, int columns, struct str *out) {
  if (!columns)
    return say_rows(b, m, end, out);
  if (is_idle(b, m))
    return add_idle(b, m, end, out);
  if (is_short(b, m, columns))
    return add_short(b, m, end, out);
  add_row(b, m, columns, out);
  return m;
}

void picture_blocks(const struct picture_blocks *b,
                    const struct picture_place *place, struct str *out) {
  int columns = place->columns - LABEL - 2;
  columns = columns > MOST_CHART ? MOST_CHART : columns < 20 ? 20 : columns;
  uint32_t idle = count_idle(b);
  str_addf(out,
           "%s: %zu block%s on %u multiprocessors with room for %u each "
           "· %" PRIu64 " clocks\n",
           b->kernel, b->count, b->count == 1 ? "" : "s", b->multiprocessors,
           b->at_once, b->clocks);
  uint32_t rows = b->multiprocessors, most = LEAST_ROWS;
  if (!place->is_plain && place->rows > LEAST_ROWS + AROUND)
    most = (uint32_t)(place->rows - AROUND);
  rows = rows < most ? rows : most;
  for (uint32_t m = 0; m < rows; m++)
    m = add_rows(b, m, rows, place->is_plain ? 0 : columns, out);
  if (b->multiprocessors > rows)
    str_addf(out, "and %u multiprocessor%s more\n", b->multiprocessors - rows,
             picture_plural(b->multiprocessors - rows));
  if (idle)
    str_addf(out, "%u of them had no block.\n", idle);
  str_add(out,
          "A clock of the virtual GPU is one instruction of a warp: a model "
          "of the order, no measured time.\n");
}
