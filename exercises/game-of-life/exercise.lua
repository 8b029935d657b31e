-- SPDX-License-Identifier: Apache-2.0
-- A board's cells, from rows of text with # for a living one.
local function draw(board, columns, picture)
  for k = 0, #board - 1 do board[k] = 0 end
  for r, line in ipairs(picture) do
    for c = 1, #line do
      local is_alive = line:sub(c, c) == "#"
      board[(r - 1) * columns + c - 1] = is_alive and 1 or 0
    end
  end
end

return {
  title = "The game of life",
  task = "One step of the game of life: next = 1 where a cell has 3 living"
    .. " neighbours of its 8, or lives and has 2; else 0. The board's edges"
    .. " meet.",
  needs = {"brightness", "mandelbrot", "wrong-for-one-block"},
  minutes = 30,
  kernel = "life",
  signature = {
    {"in", "const int *", "now"},
    {"out", "int *", "next"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "game_of_life",
  tolerance = {ulp = 0, reason = "whole numbers are counted"},
  budget = 5000,
  make = function(case, rng)
    local rows, columns, block = case.rows, case.columns, case.block
    local now = rng:ints(rows * columns, 0, 1)
    if case.picture then draw(now, columns, case.picture) end
    return {now = now, next = rows * columns, rows = rows, columns = columns},
      {{blocks_for(columns, block[1]), blocks_for(rows, block[2])}, block}
  end,
  cases = {
    {name = "20 x 30 cells", rows = 20, columns = 30, block = {16, 8}},
    {name = "a blinker", rows = 5, columns = 5, block = {8, 4},
      picture = {".....", "..#..", "..#..", "..#.."}},
    {name = "a block over the corners", rows = 6, columns = 7, block = {8, 4},
      picture = {"#.....#", "", "", "", "", "#.....#"}},
    {name = "3 x 3", rows = 3, columns = 3, block = {32, 2}},
    {name = "primes", rows = 37, columns = 53, block = {24, 5}},
    {name = "large", rows = 130, columns = 200, block = {32, 8},
      hidden = true},
  },
  requires = {"min_threads = 16"},
  hints = {
    "One thread for each cell: a row, a column, a guard for both. Then two"
      .. " short loops over down = -1, 0, 1 and right = -1, 0, 1.",
    "The row above row 0 is the last one: (row + down + rows) % rows. Adding"
      .. " rows keeps it from being below 0, where C's % stays negative.",
    "A device function int around(now, rows, columns, row, column) that counts"
      .. " keeps the kernel short. The cell itself is not its own neighbour.",
    "next[at] = count == 3 || (count == 2 && now[at]);",
  },
  editorial = "Nine loads of the board a cell, one more to take the cell"
    .. " itself away, and one store: every cell is read by nine threads. The"
    .. " remainders are needed at the edges alone, and all threads compute"
    .. " them. The lesson stencil lets a block fetch a tile with its border"
    .. " once, and share it.",
  mutants = {
    {
      name = "counts-itself",
      replace = {"- now[row * columns + column]", ""},
      explain = "This is what you get when a cell is counted among its own"
        .. " neighbours: it has 8 of them, not 9.",
    },
    {
      name = "negative-row",
      replace = {"(row + down + rows) % rows", "(row + down) % rows"},
      explain = "In C -1 % 5 is -1, not 4: add rows before taking the rest.",
    },
    {
      name = "edges-are-dead",
      replace = {"int r = (row + down + rows) % rows;",
        "int r = row + down;\n    if (r < 0 || r >= rows) continue;"},
      explain = "This is what you get when nobody lives above the first row and"
        .. " below the last: the edges of this board meet.",
    },
    {
      name = "all-edges-are-dead",
      replace = {"int c = (column + right + columns) % columns;\n"
        .. "      count += now[r * columns + c];",
        "int c = column + right, y = row + down;\n"
        .. "      if (y < 0 || y >= rows || c < 0 || c >= columns) continue;\n"
        .. "      count += now[y * columns + c];"},
      explain = "This is what you get when nobody lives beyond the edges: those"
        .. " of this board meet, the first row with the last, the first column"
        .. " with the last.",
    },
    {
      name = "nobody-is-born",
      replace = {"count == 3 || (count == 2 && now[at])",
        "now[at] && (count == 3 || count == 2)"},
      explain = "This is what you get when only living cells live on: a dead"
        .. " one with 3 neighbours comes to life.",
    },
    {
      name = "two-are-enough",
      replace = {"(count == 2 && now[at])", "count == 2"},
      explain = "This is what you get when 2 neighbours bring a dead cell to"
        .. " life: they only keep a living one alive.",
    },
    {
      name = "four-neighbours",
      replace = {"count += now[r * columns + c];",
        "if (down == 0 || right == 0) count += now[r * columns + c];"},
      explain = "This is what you get when the neighbours at the corners are"
        .. " left out: a cell has 8.",
    },
    {
      name = "height-for-width",
      replace = {"int at = row * columns", "int at = row * rows"},
      explain = "A row is as long as there are columns.",
    },
    {
      name = "no-guard-below",
      replace = {"row >= rows || column >= columns", "column >= columns"},
      explain = "The grid is too high as well: both directions need a guard.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 16",
      replace = {"  int count = around(now, rows, columns, row, column);\n"
        .. "  next[at] = count == 3 || (count == 2 && now[at]);", [[
  int wide = min(blockDim.x, columns - column);
  if (threadIdx.x == 0)
    for (int k = 0; k < wide; k++) {
      int count = around(now, rows, columns, row, column + k);
      next[at + k] = count == 3 || (count == 2 && now[at + k]);
    }]]},
      explain = "The first thread of each of the block's rows does the row; the"
        .. " others have nothing to do.",
    },
  },
}
