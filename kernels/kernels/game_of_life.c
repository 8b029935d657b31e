// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/game-of-life: the next generation on a board
// whose edges meet. A cell lives with three living neighbours, or goes on
// living with two.
#include "kernels/reference/call.h"

struct board {
  const int32_t *now;
  int64_t rows, columns;
};

// How many of the eight around a cell live.
static int alive_around(const struct board *b, int64_t row, int64_t column) {
  int count = 0;
  for (int down = -1; down <= 1; down++)
    for (int right = -1; right <= 1; right++) {
      int64_t r = (row + down + b->rows) % b->rows;
      int64_t c = (column + right + b->columns) % b->columns;
      count += (down || right) ? b->now[r * b->columns + c] : 0;
    }
  return count;
}

void reference_game_of_life(const struct reference_call *call) {
  struct board b = {.rows = reference_int(call, 2),
                    .columns = reference_int(call, 3)};
  b.now = reference_i32(call, 0, b.rows * b.columns);
  int32_t *next = reference_i32(call, 1, b.rows * b.columns);
  if (!b.now || !next)
    return;
  for (int64_t row = 0; row < b.rows; row++)
    for (int64_t column = 0; column < b.columns; column++) {
      int64_t at = row * b.columns + column;
      int count = alive_around(&b, row, column);
      next[at] = count == 3 || (count == 2 && b.now[at] == 1);
    }
}
