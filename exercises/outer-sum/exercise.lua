-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Everyone with everyone",
  task = "out[r][c] = a[r] + b[c] for every row r and column c.",
  needs = {"transpose-naive"},
  minutes = 10,
  kernel = "outer_sum",
  signature = {
    {"in", "const float *", "a"},
    {"in", "const float *", "b"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "outer_sum",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/256 below 2^9, so that a sum is"
      .. " exact",
  },
  budget = 20000,
  make = function(case, rng)
    local x, y = case.x or 32, case.y or 4
    return {
      a = rng:steps(case.rows, -256, 256, 1 / 256),
      b = rng:steps(case.columns, -256, 256, 1 / 256),
      out = case.rows * case.columns, rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, x), blocks_for(case.rows, y)}, {x, y}}
  end,
  cases = {
    {name = "3 rows of 5", rows = 3, columns = 5},
    {name = "40 rows of 64", rows = 40, columns = 64},
    {name = "one row", rows = 1, columns = 77},
    {name = "one column", rows = 77, columns = 1},
    {name = "blocks of 16 x 16", rows = 35, columns = 50, x = 16, y = 16},
    {name = "large", rows = 211, columns = 307, hidden = true},
  },
  requires = {"min_threads = 32"},
  efficiency = {"coalescing >= 75"},
  hints = {
    "Each thread has one cell of out: a row and a column.",
    "Let the column come from x, so that neighbours write side by side.",
    "a is as long as there are rows, b as there are columns: a[row] +"
      .. " b[column].",
  },
  editorial = "Two loads, one store and one addition a cell, while the inputs"
    .. " have only rows + columns numbers. In a warp of one row a[row] is the"
    .. " same for all lanes, one sector; b and out take 4 each, which makes 3"
    .. " on average for 64 columns. Caches hand out what is read again."
    .. " all-pairs asks every pair for more, and in arrays.",
  mutants = {
    {
      name = "exchanged",
      replace = {"a[row] + b[column]", "a[column] + b[row]"},
      explain = "a goes with the rows, b with the columns; here they are"
        .. " exchanged.",
    },
    {
      name = "row-length",
      replace = {"out[row * columns + column]", "out[row * rows + column]"},
      explain = "A row of out has `columns` elements: before row r lie r *"
        .. " columns of them.",
    },
    {
      name = "x-for-rows",
      replace = {"int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
        .. "  int row = blockIdx.y * blockDim.y + threadIdx.y;",
        "int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        .. "  int column = blockIdx.y * blockDim.y + threadIdx.y;"},
      explain = "Rows are counted along x, and columns along y. The grid has"
        .. " its x for the columns: where the two differ, cells are left out.",
    },
    {
      name = "width-of-a-block-for-its-height",
      replace = {"blockIdx.y * blockDim.y", "blockIdx.y * blockDim.x"},
      explain = "A block is blockDim.y threads high, so its first row is"
        .. " blockIdx.y * blockDim.y. With blockDim.x rows are left out"
        .. " wherever a block is wider than high.",
    },
    {
      name = "diagonal",
      replace = {"a[row] + b[column]", "a[row] + b[row]"},
      explain = "b is asked for the row's number; it is as long as there are"
        .. " columns, and wants the column's.",
    },
    {
      name = "no-column-guard",
      replace = {"row < rows && column < columns", "row < rows"},
      explain = "Threads to the right of the last column write into the next"
        .. " row's cells, or read past the end of b: both directions need a"
        .. " guard.",
    },
    {
      name = "no-row-guard",
      replace = {"row < rows && column < columns", "column < columns"},
      explain = "Threads below the last row have no cell: both directions need"
        .. " a guard.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[row * columns + column] = a[row] + b[column];]], [[
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < blockDim.x * blockDim.y; k++) {
    int column = blockIdx.x * blockDim.x + k % blockDim.x;
    int row = blockIdx.y * blockDim.y + k / blockDim.x;
    if (row < rows && column < columns)
      out[row * columns + column] = a[row] + b[column];
  }]]},
      explain = "The first thread of each block does all of its elements, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
