-- SPDX-License-Identifier: Apache-2.0
-- A row's columns ascend, each some columns behind the one before it.
local function fill(case, rng)
  local rows, columns = case.rows, case.columns or case.rows
  local lengths = rng:ints(rows, case.least or 0, case.most)
  local gaps = rng:ints(rows * 64, 1, math.max(1, columns // 64))
  local start, column = rng:full(rows + 1, 0), {}
  for r = 0, rows - 1 do
    local at, length = -1, case.empty and 0 or lengths[r]
    for k = 0, length - 1 do
      at = at + gaps[(r * 7 + k) % (rows * 64)]
      if at >= columns then break end
      column[#column + 1] = at
    end
    start[r + 1] = #column
  end
  local c = rng:full(math.max(1, #column), 0)
  for k, at in ipairs(column) do c[k - 1] = at end
  return {
    start = start, column = c, value = rng:steps(#c, -4, 4, 1 / 8),
    x = rng:steps(columns, -4, 4, 1 / 8), y = rows, rows = rows,
  }, {blocks_for(rows, case.block or 64), case.block or 64}
end

return {
  title = "Only what is there",
  task = "y[r] = the sum of the entries of row r of a matrix in compressed"
    .. " rows, each times the x of its column.",
  needs = {"saxpy"},
  minutes = 15,
  kernel = "spmv",
  signature = {
    {"in", "const int *", "start"},
    {"in", "const int *", "column"},
    {"in", "const float *", "value"},
    {"in", "const float *", "x"},
    {"out", "float *", "y"},
    {"value", "int", "rows"},
  },
  reference = "spmv",
  tolerance = {
    ulp = 0,
    reason = "products are multiples of 1/64 within 16, and at most 64 are"
      .. " added: 16 bits, exact in any order",
  },
  budget = 500000,
  make = fill,
  cases = {
    {name = "200 rows, up to 8 entries each", rows = 200, most = 8},
    {name = "one row", rows = 1, columns = 100, least = 5, most = 9},
    {name = "no entries at all", rows = 70, most = 3, empty = true},
    {name = "more columns than rows", rows = 65, columns = 1000, most = 20},
    {name = "more rows than columns", rows = 300, columns = 64, most = 10},
    {name = "blocks of 96", rows = 500, most = 6, block = 96},
    {name = "large", rows = 3001, most = 40, block = 128, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "The thread's row is r. Its entries are numbered from start[r] to"
      .. " start[r + 1] - 1.",
    "An entry k is value[k], and it stands in column column[k]: which element"
      .. " of x does it meet?",
    "sum += value[k] * x[column[k]]. A row without entries has the sum 0, which"
      .. " has to be written as well.",
  },
  editorial = "Three loads for each entry that is there: its value, its"
    .. " column, and x at any place at all; one store a row. Lanes begin at"
    .. " different places of value and column, so their loads are not side by"
    .. " side, and a warp goes on until its longest row is done. That is good"
    .. " for short rows of like lengths. spmv-warp is for the others.",
  mutants = {
    {
      name = "no-guard",
      replace = {"  if (r >= rows) return;\n", ""},
      explain = "Threads behind the last row read past the end of start.",
    },
    {
      name = "one-entry-too-many",
      replace = {"k < start[r + 1]", "k <= start[r + 1]"},
      explain = "start[r + 1] is the first entry of the next row: row r ends"
        .. " before it.",
    },
    {
      name = "x-by-number",
      replace = {"x[column[k]]", "x[k - start[r]]"},
      explain = "This is what you get when the entries meet the first elements"
        .. " of x, one after the other: each meets the x of its column.",
    },
    {
      name = "x-of-the-row",
      replace = {"x[column[k]]", "x[r]"},
      explain = "This is what you get when all entries of a row meet x[r]: each"
        .. " meets the x of its column.",
    },
    {
      name = "empty-left-out",
      replace = {"  y[r] = sum;", "  if (sum != 0) y[r] = sum;"},
      explain = "A row whose sum is 0 has to be written, too: nobody has put a"
        .. " 0 there before.",
    },
    {
      name = "without-values",
      replace = {"value[k] * x[column[k]]", "x[column[k]]"},
      explain = "This is what you get when the x of the columns are added, and"
        .. " not multiplied by the entries.",
    },
    {
      name = "first-entry-left-out",
      replace = {"int k = start[r];", "int k = start[r] + 1;"},
      explain = "This is what you get without the first entry of each row,"
        .. " which is start[r].",
    },
    {
      name = "never-set-back",
      replace = {"  float sum = 0;\n  for (int k = start[r];",
        "  float sum = 0;\n  for (int k = 0;"},
      explain = "This is what you get when each row begins with the first entry"
        .. " of all: it begins with start[r].",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[=[
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; k++)
    sum += value[k] * x[column[k]];
  y[r] = sum;]=], [=[
  for (int j = r; threadIdx.x == 0 && j < r + blockDim.x && j < rows; j++) {
    float sum = 0;
    for (int k = start[j]; k < start[j + 1]; k++)
      sum += value[k] * x[column[k]];
    y[j] = sum;
  }]=]},
      explain = "The first thread of each block does all of its rows.",
    },
  },
}
