// SPDX-License-Identifier: Apache-2.0
// A map in words and rows: the same lines for the screen and for plain text.
#include <inttypes.h>
#include <string.h>

#include "repl/picture/picture.h"

enum { MOST_PICTURES = 8, GROUP = 8 };

// ---- One picture ----

static const struct lrequest_array *array_of(const struct map *m,
                                             const struct map_view *v) {
  return &m->r->arrays[m->list[v->access].array];
}

bool map_is_matrix(const struct map *m, const struct map_view *v) {
  return array_of(m, v)->ndim >= 2;
}

// A matrix has numbers of rows, a row that is cut the index of its first cell.
static int64_t number_of(const struct map *m, const struct map_view *v,
                         int row) {
  return map_is_matrix(m, v) ? v->row + row : (v->row + row) * MAP_SIDE;
}

static int label_width(const struct map *m, const struct map_view *v) {
  int width = 2;
  for (int64_t n = number_of(m, v, MAP_SIDE - 1); n > 99; n /= 10)
    width++;
  return width;
}

int map_width(const struct map *m, const struct map_view *v) {
  return label_width(m, v) + 1 + MAP_SIDE + MAP_SIDE / GROUP - 1;
}

void map_row(const struct map *m, const struct map_view *v, int row,
             struct str *out) {
  str_addf(out, "%*" PRId64 " ", label_width(m, v), number_of(m, v, row));
  for (int x = 0; x < MAP_SIDE; x += GROUP)
    str_addf(out, "%s%.*s", x ? " " : "", GROUP, m->cell[row] + x);
  str_trim_end(out);
}

void map_scale(const struct map *m, const struct map_view *v, struct str *out) {
  int64_t first = map_is_matrix(m, v) ? v->column : 0;
  str_addf(out, "%*s%-8" PRId64 " %-8" PRId64 " %-8" PRId64 " %-5" PRId64,
           label_width(m, v) + 1, "", first, first + 8, first + 16, first + 24);
  str_addf(out, "%3" PRId64, first + 31);
}

static void add_interval(uint32_t interval, struct str *out) {
  if (interval)
    str_addf(out, "after barrier %u", interval);
  else
    str_add(out, "before any barrier");
}

static void add_block(const struct map *m, struct str *out) {
  const uint32_t *g = m->r->what.grid;
  uint32_t b = m->shared_block;
  str_addf(out, " · block (%u,%u,%u)", b % g[0], b / g[0] % g[1],
           b / g[0] / g[1]);
}

void map_title(const struct map *m, const struct map_view *v, struct str *out) {
  const struct map_access *a = &m->list[v->access];
  str_addf(out, "%d of %d · ", v->access + 1, m->count);
  if (v->is_interval)
    str_add(out, "all that is done to ");
  else
    str_addf(out, "line %d %s ", a->line, picture_word(a->access, true));
  picture_array_name(m->r, a->array, out);
  str_add(out, ", ");
  add_interval(a->interval, out);
}

static void add_letters(const struct map *m, const struct map_view *v,
                        struct str *out) {
  static const char *const words[] = {"warp", "lane", "block"};
  if (v->letter == MAP_LANE) {
    str_add(out, "lanes: 0 to 9, then A is 10 ... V is 31");
    return;
  }
  str_addf(out, "A is %s 0", words[v->letter]);
  if (m->most >= 1)
    str_add(out, ", B 1 ...");
  if (m->most >= 26)
    str_add(out, ", a 26");
  if (m->most >= 52)
    str_add(out, ", 0 52");
  if (m->most >= 62)
    str_add(out, ", and A again 62");
}

static void add_sums(const struct map *m, const struct map_view *v,
                     struct str *out) {
  str_addf(out, "%" PRId64 " of %" PRId64 " cells touched", m->touched,
           m->cells);
  if (m->conflicts)
    str_addf(out, " · # %" PRId64 " by several threads, one of which writes",
             m->conflicts);
  if (m->shares)
    str_addf(out, " · + %" PRId64 " by several, which %s", m->shares,
             m->list[v->access].access == GPU_ATOMIC ? "update them in turn"
                                                     : "only read");
}

void map_legend(const struct map *m, const struct map_view *v,
                struct str *out) {
  add_letters(m, v, out);
  if (array_of(m, v)->is_shared)
    add_block(m, out);
  str_add(out, " · ");
  add_sums(m, v, out);
}

static void add_part(const struct map *m, const struct map_view *v,
                     struct str *out) {
  int64_t below = m->rows - v->row - MAP_SIDE,
          right = m->columns - v->column - MAP_SIDE;
  if (below <= 0 && right <= 0 && !v->row && !v->column)
    return;
  str_addf(out, "%" PRId64 " x %" PRId64 " cells", m->rows, m->columns);
  if (below > 0)
    str_addf(out, " · rows below: %" PRId64, below);
  if (right > 0)
    str_addf(out, " · columns to the right: %" PRId64, right);
  str_add(out, ".\n");
}

// ---- Text ----

static bool has_two_sides(const struct map *m, const struct map_view *v,
                          const struct picture_place *place) {
  return m->shown_rows > MAP_SIDE / 2 &&
         place->columns > 2 * map_width(m, v) + 1;
}

static void add_rows(const struct map *m, const struct map_view *v,
                     const struct picture_place *place, struct str *out) {
  bool is_two = has_two_sides(m, v, place);
  int rows = is_two ? MAP_SIDE / 2 : m->shown_rows;
  map_scale(m, v, out);
  str_add(out, "\n");
  for (int y = 0; y < rows; y++) {
    size_t start = out->len;
    map_row(m, v, y, out);
    if (is_two && y + rows < m->shown_rows) {
      while (out->len - start < (size_t)map_width(m, v) + 1)
        str_add(out, " ");
      map_row(m, v, y + rows, out);
    }
    str_add(out, "\n");
  }
}

// ---- In sentences ----

enum { MOST_SAID = 4 };

struct box { // around the cells of one letter
  int cells, top, bottom, left, right;
  int first, last; // in the order of memory, from the view's corner on
};

static struct box box_of(const struct map *m, char letter) {
  struct box b = {.top = MAP_SIDE, .bottom = -1, .left = MAP_SIDE, .right = -1};
  for (int y = 0; y < m->shown_rows; y++)
    for (int x = 0; x < MAP_SIDE; x++) {
      if (m->cell[y][x] != letter)
        continue;
      b.last = y * MAP_SIDE + x;
      b.first = b.cells++ ? b.first : b.last;
      b.top = y < b.top ? y : b.top;
      b.bottom = y;
      b.left = x < b.left ? x : b.left;
      b.right = x > b.right ? x : b.right;
    }
  return b;
}

// "row 3, columns 0 to 31", of the array; of one axis "cells 96 to 127".
static void add_box(const struct map *m, const struct map_view *v,
                    const struct box *b, struct str *out) {
  int64_t top = v->row + b->top, bottom = v->row + b->bottom,
          left = v->column + b->left, right = v->column + b->right;
  if (array_of(m, v)->ndim < 2) {
    int64_t from = v->row * MAP_SIDE;
    str_addf(out, "%" PRId64 " to %" PRId64, from + b->first, from + b->last);
    return;
  }
  if (top == bottom)
    str_addf(out, "row %" PRId64 ", ", top);
  else
    str_addf(out, "rows %" PRId64 " to %" PRId64 ", ", top, bottom);
  if (left == right)
    str_addf(out, "column %" PRId64, left);
  else
    str_addf(out, "columns %" PRId64 " to %" PRId64, left, right);
}

// Where the first of them are: "Warp 0: 32 cells, row 0, columns 0 to 31." Of more than
// there are letters for nothing is said, since one letter stands for several.
static void say_letters(const struct map *m, const struct map_view *v,
                        struct str *out) {
  static const char *const words[] = {"Warp", "Lane", "Block"};
  int said = 0;
  for (uint32_t n = 0;
       m->most < 62 && n <= m->most && n < 26 && said < MOST_SAID; n++) {
    char letter =
        v->letter == MAP_LANE ? picture_lane((int)n) : (char)('A' + n);
    struct box b = box_of(m, letter);
    if (!b.cells)
      continue;
    str_addf(out, "%s %u: %d cell%s, ", words[v->letter], n, b.cells,
             b.cells == 1 ? "" : "s");
    add_box(m, v, &b, out);
    str_add(out, ".\n");
    said++;
  }
}

static void add_picture(struct map *m, struct map_view v,
                        const struct picture_place *place, struct str *out) {
  map_draw(m, &v);
  map_title(m, &v, out);
  str_add(out, "\n  ");
  picture_source_line(m->r, m->list[v.access].line, out);
  str_add(out, "\n");
  if (!place->is_plain)
    add_rows(m, &v, place, out);
  else
    say_letters(m, &v, out);
  place->is_plain ? add_sums(m, &v, out) : map_legend(m, &v, out);
  str_add(out, ".\n");
  add_part(m, &v, out);
}

void map_text(struct map *m, struct map_view v, bool is_one, int array,
              const struct picture_place *place, struct str *out) {
  int drawn = 0, left = 0, next = 0;
  for (int i = v.access; i < m->count; i++) {
    if ((is_one && i > v.access) || (array >= 0 && m->list[i].array != array))
      continue;
    if (drawn == MOST_PICTURES) {
      next = left++ ? next : i;
      continue;
    }
    struct map_view of = v;
    of.access = i;
    str_add(out, drawn++ ? "\n" : "");
    add_picture(m, of, place, out);
  }
  if (left)
    str_addf(out, "\nAnd %d access%s more: :map %d draws the next.\n", left,
             left == 1 ? "" : "es", next + 1);
  picture_add_missing(m->r, out);
}
