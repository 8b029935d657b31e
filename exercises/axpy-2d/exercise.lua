-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Any matrix, any grid",
  task = "y = a * x + y for matrices with a gap at the end of each row,"
    .. " whatever the grid: a grid-stride loop in two directions.",
  needs = {"saxpy", "swapped-axes"},
  minutes = 15,
  kernel = "axpy",
  signature = {
    {"value", "float", "a"},
    {"in", "const float *", "x"},
    {"inout", "float *", "y"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
    {"value", "int", "pitch"},
  },
  reference = "axpy_2d",
  tolerance = {
    ulp = 0,
    reason = "multiples of 1/256 below 8, and a is one of 1/4 below 4: product"
      .. " and sum are floats, and nothing is rounded",
  },
  budget = 200000,
  make = function(case, rng)
    local n = case.rows * case.pitch
    return {
      a = case.a,
      x = rng:steps(n, -8, 8, 1 / 256), y = rng:steps(n, -8, 8, 1 / 256),
      rows = case.rows, columns = case.columns, pitch = case.pitch,
    }, {case.grid, case.block}
  end,
  cases = {
    {name = "70 x 300, 2 x 3 blocks of 32 x 8", rows = 70, columns = 300,
      pitch = 304, a = 1.5, grid = {2, 3}, block = {32, 8}},
    {name = "one element", rows = 1, columns = 1, pitch = 1, a = 2,
      grid = {1, 1}, block = {32, 8}},
    {name = "one row", rows = 1, columns = 1000, pitch = 1024, a = -1,
      grid = {3, 2}, block = {64, 4}},
    {name = "one column", rows = 301, columns = 1, pitch = 2, a = 3,
      grid = {2, 5}, block = {16, 16}},
    {name = "33 x 517, 1 x 2 blocks of 16 x 4", rows = 33, columns = 517,
      pitch = 517, a = 0.25, grid = {1, 2}, block = {16, 4}},
    {name = "more threads than elements", rows = 5, columns = 7, pitch = 9,
      a = -3.5, grid = {4, 4}, block = {8, 8}},
    {name = "large", rows = 203, columns = 311, pitch = 320, a = 2.25,
      grid = {4, 5}, block = {16, 8}, hidden = true},
  },
  requires = {"min_threads = 64"},
  efficiency = {{"coalescing >= 75",
    cases = {"70 x 300, 2 x 3 blocks of 32 x 8"}}},
  hints = {
    "It is the loop of saxpy, twice: one over rows, and in it one over"
      .. " columns.",
    "Which way does a thread go when it is done with an element? By the number"
      .. " of threads that stand side by side in that direction.",
    "gridDim.x * blockDim.x to the right, gridDim.y * blockDim.y downwards.",
    "Each row begins its columns anew, at the thread's own first column.",
  },
  editorial = "Two loads, one store, a product and a sum an element, as in"
    .. " saxpy: the second loop costs a comparison and an addition a row. No"
    .. " division and no remainder is needed to find row and column, as a"
    .. " single loop over all elements would. Without a gap (pitch = columns)"
    .. " the matrix is one long array, and saxpy's loop does.",
  mutants = {
    {
      name = "columns-for-pitch",
      replace = {"      y[row * pitch + column] =\n"
        .. "          a * x[row * pitch + column] + y[row * pitch + column];",
        "      y[row * columns + column] =\n          a * x[row * columns +"
          .. " column] + y[row * columns + column];",
      },
      explain = "Row r begins at r * pitch. With columns in its place, the gaps"
        .. " are taken for elements, and the last rows are never reached.",
    },
    {
      name = "gap-too",
      replace = {"column < columns", "column < pitch"},
      explain = "The gap at the end of each row was changed, too: a row has"
        .. " `columns` elements.",
    },
    {
      name = "block-stride-across",
      replace = {"across = gridDim.x * blockDim.x", "across = blockDim.x"},
      explain = "To the right the loop steps by one block. With several blocks"
        .. " side by side, they do each other's columns again.",
    },
    {
      name = "block-stride-down",
      replace = {"down = gridDim.y * blockDim.y", "down = blockDim.y"},
      explain = "Downwards the loop steps by one block. With several blocks"
        .. " below each other, they do each other's rows again.",
    },
    {
      name = "strides-exchanged",
      replace = {
        "across = gridDim.x * blockDim.x, down = gridDim.y * blockDim.y",
        "down = gridDim.x * blockDim.x, across = gridDim.y * blockDim.y",
      },
      explain = "The two strides are exchanged: x goes along the row, to the"
        .. " next column, y to the next row.",
    },
    {
      name = "one-row-each",
      replace = {"for (; row < rows; row += down)", "if (row < rows)"},
      explain = "Each thread stays in its first row: with fewer rows of threads"
        .. " than rows, the others stay as they were.",
    },
    {
      name = "one-column-each",
      replace = {"for (int column = first; column < columns; column += across)",
        "if (int column = first; column < columns)"},
      explain = "Each thread does one column of a row: with fewer threads side"
        .. " by side than columns, the others stay as they were.",
    },
    {
      name = "overwrites",
      replace = {"a * x[row * pitch + column] + y[row * pitch + column]",
        "a * x[row * pitch + column]"},
      explain = "y is overwritten with a * x: the old y is part of the sum.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {[[
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int across = gridDim.x * blockDim.x, down = gridDim.y * blockDim.y;
  int row = blockIdx.y * blockDim.y + threadIdx.y;]], [[
  int first = blockIdx.x, across = gridDim.x, down = gridDim.y;
  int row = blockIdx.y;
  if (threadIdx.x + threadIdx.y > 0) return;]]},
      explain = "The first thread of each block does all of its"
        .. " elements, and the others have nothing to do.",
    },
  },
}
