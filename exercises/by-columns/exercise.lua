-- SPDX-License-Identifier: Apache-2.0
return {
  title = "By columns",
  task = "Make the kernel fast: out[r][c] = m[r][c] * f[r], with threads side"
    .. " by side at elements side by side, and most of the bytes moved in use.",
  needs = {"transpose-naive"},
  minutes = 10,
  kernel = "scale_rows",
  signature = {
    {"in", "const float *", "m"},
    {"in", "const float *", "f"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "by_columns",
  tolerance = {
    ulp = 0,
    reason = "products of multiples of 1/64 and 1/4 below 8 have 14 bits at"
      .. " most: nothing is rounded",
  },
  budget = 2000000,
  make = function(case, rng)
    local n, block = case.rows * case.columns, case.block or 128
    local most = math.max(case.rows, case.columns)
    return {
      m = rng:steps(n, -8, 8, 1 / 64), f = rng:steps(case.rows, -8, 8, 1 / 4),
      out = n, rows = case.rows, columns = case.columns,
    }, {(most + block - 1) // block, block}
  end,
  cases = {
    {name = "256 rows of 256", rows = 256, columns = 256},
    {name = "one element", rows = 1, columns = 1},
    {name = "one row", rows = 1, columns = 1000},
    {name = "one column", rows = 300, columns = 1},
    {name = "33 rows of 517, blocks of 64", rows = 33, columns = 517,
      block = 64},
    {name = "200 rows of 7", rows = 200, columns = 7},
    {name = "large", rows = 301, columns = 443, block = 96, hidden = true},
  },
  goal = {
    -- Rows that fill warps: of a row of 7 floats each access is an edge.
    {"coalescing >= 75", each_line = true,
      cases = {"256 rows of 256", "33 rows of 517, blocks of 64", "large"}},
    {"global_efficiency >= 60", cases = {"256 rows of 256", "large"}},
  },
  hints = {
    "Thread 0 and thread 1 load at the same moment. Which two elements, and how"
      .. " many floats lie between them?",
    "Threads side by side should have elements side by side: in the same row,"
      .. " one column apart.",
    "Give each thread a column, and let it walk down the rows.",
  },
  editorial = "Two loads and a store for each element. A full warp's load of m"
    .. " touches 4 sectors, or 5 where a row does not begin with one; in the"
    .. " starter up to 32. All lanes want the same f[row], one sector. Only as"
    .. " many threads as there are columns have work. With a grid in two"
    .. " dimensions, as in transpose-naive, each element could have a thread;"
    .. " here the launch is given.",
  mutants = {
    {
      name = "factor-of-column",
      replace = {"f[row]", "f[column < rows ? column : 0]"},
      explain = "Each row has its factor, f[row]. The thread's own number is"
        .. " the column's now.",
    },
    {
      name = "row-length",
      replace = {"out[row * columns + column]", "out[row * rows + column]"},
      explain = "A row has `columns` elements, so row r begins at r * columns;"
        .. " with rows it is right for square matrices only.",
    },
    {
      name = "height-for-width",
      replace = {"row < rows", "row < columns"},
      explain = "The thread walks down the rows: there are `rows` of them.",
    },
    {
      name = "no-guard",
      replace = {"if (column >= columns) return;", ""},
      explain = "Threads beyond the last column run on into the next row, and"
        .. " at the end past the matrix.",
    },
    {
      name = "first-row-only",
      replace = {"row < rows; row++", "row < 1; row++"},
      explain = "Only the first row is done: a thread walks down its whole"
        .. " column.",
    },
    {
      name = "own-block-only",
      replace = {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"},
      explain = "Every block does the same columns, those of the first block.",
    },
    {
      name = "far-neighbours",
      breaks = "coalescing >= 75",
      replace = {"int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
        .. "  if (column >= columns) return;\n"
        .. "  for (int row = 0; row < rows; row++)",
        "int threads = gridDim.x * blockDim.x;\n"
        .. "  int piece = (columns + threads / 8 - 1) / (threads / 8);\n"
        .. "  int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;\n"
        .. "  for (int row = 0; row < rows; row++)\n"
        .. "  for (int column = first; column < first + piece"
        .. " && column < columns; column++)"},
      explain = "Each thread has several columns side by side, and so the"
        .. " threads are that far apart.",
    },
    {
      name = "one-thread",
      breaks = "global_efficiency >= 60",
      replace = {"  if (column >= columns) return;\n"
        .. "  for (int row = 0; row < rows; row++)",
        "  if (threadIdx.x > 0) return;\n"
        .. "  int end = column + blockDim.x;\n"
        .. "  for (; column < end && column < columns; column++)\n"
        .. "  for (int row = 0; row < rows; row++)"},
      explain = "One thread of each block does all of its columns. Each load is"
        .. " one sector, for 4 of its 32 bytes.",
    },
  },
}
