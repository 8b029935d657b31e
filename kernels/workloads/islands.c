// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/islands: the first cell of the island that a
// cell of land belongs to, found by walking over each from there; a million
// on water.
#include "kernels/reference/call.h"

enum { WATER = 1000000 };

struct map {
  const int32_t *land;
  int32_t *label;
  int32_t *stack; // each cell of land, once
  int64_t height;
};

static void visit(struct map *m, int64_t at, int32_t first) {
  if (m->land[at] != 1 || m->label[at] != WATER)
    return;
  m->label[at] = first;
  m->stack[m->height++] = (int32_t)at;
}

static void walk(struct map *m, int64_t first, int64_t rows, int64_t columns) {
  visit(m, first, (int32_t)first);
  while (m->height) {
    int64_t at = m->stack[--m->height];
    int64_t row = at / columns, column = at % columns;
    if (column > 0)
      visit(m, at - 1, (int32_t)first);
    if (column < columns - 1)
      visit(m, at + 1, (int32_t)first);
    if (row > 0)
      visit(m, at - columns, (int32_t)first);
    if (row < rows - 1)
      visit(m, at + columns, (int32_t)first);
  }
}

void reference_islands(const struct reference_call *call) {
  int64_t rows = reference_int(call, 4), columns = reference_int(call, 5);
  int64_t n = rows > 0 && columns > 0 ? rows * columns : 0;
  struct map m = {reference_i32(call, 0, n), reference_i32(call, 1, n),
                  reference_i32(call, 2, n), 0};
  if (n > WATER)
    reference_fail(call, "there are more than a million cells");
  if (!m.land || !m.label || !m.stack || n > WATER)
    return;
  for (int64_t at = 0; at < n; at++)
    m.label[at] = WATER;
  for (int64_t first = 0; first < n; first++)
    walk(&m, first, rows, columns);
}
