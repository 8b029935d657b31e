-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Rows become columns",
  task = "out[c][r] = in[r][c]: the transposed matrix, for any number of rows"
    .. " and columns.",
  needs = {"vector-add"},
  minutes = 15,
  kernel = "transpose",
  signature = {
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "transpose",
  tolerance = {ulp = 0, reason = "values are moved, not computed"},
  budget = 20000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local x, y = case.x or 16, case.y or 8
    return {
      ["in"] = rng:floats(n, -8, 8), out = n,
      rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, x), blocks_for(case.rows, y)}, {x, y}}
  end,
  cases = {
    {name = "4 rows of 6", rows = 4, columns = 6},
    {name = "64 rows of 64", rows = 64, columns = 64},
    {name = "33 rows of 17", rows = 33, columns = 17},
    {name = "one row", rows = 1, columns = 100},
    {name = "one column", rows = 100, columns = 1},
    {name = "blocks of 32 x 4", rows = 50, columns = 70, x = 32, y = 4},
    {name = "large", rows = 301, columns = 203, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "The row comes from y as the column comes from x: blockIdx.y, blockDim.y,"
      .. " threadIdx.y.",
    "Element (row, column) of in is in[row * columns + column]: that many"
      .. " whole rows lie before it.",
    "A row of out has `rows` elements, since out is the other way round.",
    "Two guards: row < rows and column < columns.",
  },
  editorial = "One load and one store an element, no arithmetic but the"
    .. " places. Lanes side by side load side by side and store whole rows"
    .. " apart: with 64 rows of 64 and blocks of 16 x 8, a load touches 4"
    .. " sectors and a store 16. One of the two must suffer as long as a"
    .. " thread stores what it loaded: transpose-tiled mends that in shared"
    .. " memory.",
  mutants = {
    {
      name = "copied",
      replace = {"out[column * rows + row]", "out[row * columns + column]"},
      explain = "This copies the matrix as it is: in out, the column comes"
        .. " first.",
    },
    {
      name = "row-length",
      replace = {"out[column * rows + row]", "out[column * columns + row]"},
      explain = "A row of out has `rows` elements, not `columns`: that shows as"
        .. " soon as the matrix is not square.",
    },
    {
      name = "column-guard-only",
      replace = {"row < rows && column < columns", "column < columns"},
      explain = "Threads below the last row have no element either: the guard"
        .. " needs row < rows, too.",
    },
    {
      name = "guards-swapped",
      replace = {"row < rows && column < columns",
        "row < columns && column < rows"},
      explain = "The limits are exchanged: rows run up to `rows`, columns up to"
        .. " `columns`.",
    },
    {
      name = "x-for-y",
      replace = {"blockIdx.y * blockDim.y + threadIdx.y",
        "blockIdx.x * blockDim.x + threadIdx.x"},
      explain = "Row and column are the same number then: only the diagonal is"
        .. " done. The row comes from y.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"if (row < rows && column < columns)\n"
        .. "    out[column * rows + row] = in[row * columns + column];", [[
  if (threadIdx.x == 0 && threadIdx.y == 0)
    for (int r = row; r < row + blockDim.y && r < rows; r++)
      for (int c = column; c < column + blockDim.x && c < columns; c++)
        out[c * rows + r] = in[r * columns + c];]]},
      explain = "One thread of each block does all of its elements; let each"
        .. " thread do its own.",
    },
  },
}
