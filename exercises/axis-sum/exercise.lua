-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Along an axis",
  task = "out[c] = the sum of column c of x, with lanes side by side along the"
    .. " rows, and the rows shared by 8 warps.",
  needs = {"block-sum", "transpose-naive"},
  minutes = 15,
  kernel = "axis_sum",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "axis_sum",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/1024 within 1, so that 4096 of"
      .. " them sum exactly in any order",
  },
  budget = 50000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local x = case.ones and rng:full(n, 1) or rng:steps(n, -1, 1, 1 / 1024)
    local rows, columns = case.rows, case.columns
    return {x = x, out = columns, rows = rows, columns = columns},
      {(columns + 31) // 32, {32, 8}}
  end,
  cases = {
    {name = "64 rows of 96", rows = 64, columns = 96},
    {name = "5 rows of 7", rows = 5, columns = 7},
    {name = "one row", rows = 1, columns = 100},
    {name = "one column", rows = 100, columns = 1},
    {name = "101 rows of 33", rows = 101, columns = 33},
    {name = "ones", rows = 50, columns = 40, ones = true},
    {name = "large", rows = 203, columns = 301, hidden = true},
  },
  rank = {case = "64 rows of 96", rows = 4096, columns = 4096, bytes = 1 << 26},
  requires = {"shared", "min_threads = 64"},
  goal = {{"coalescing >= 90", each_line = true,
    cases = {"64 rows of 96"}}},
  efficiency = {"shared_bank_conflicts <= 0"},
  hints = {
    "Lanes lie along a row, so lane after lane reads element after element:"
      .. " x[r * columns + c].",
    "Warp 0 takes rows 0, 8, 16 and so on, warp 1 rows 1, 9, 17: a loop with"
      .. " stride 8.",
    "Each column has 8 sums then, one in each warp, on the same lane."
      .. " part[warp][lane] is the desk for them.",
    "Behind the barrier warp 0 adds part[1][lane] to part[7][lane] to its own"
      .. " sum, and writes out[c].",
  },
  editorial = "Each element is loaded once, 4 sectors a request where columns"
    .. " is a multiple of 32, without a shuffle. One barrier a block, 1024"
    .. " bytes, and seven additions at the end. The grid has a block for each"
    .. " 32 columns, so a high and narrow matrix keeps few of them busy. Next:"
    .. " several blocks for the same columns, each with its rows, and their"
    .. " sums added up.",
  mutants = {
    {
      name = "no-barrier",
      replace = {"\n  __syncthreads();", ""},
      explain = "Warp 0 reads the other warps' sums before they have put them"
        .. " into part.",
    },
    {
      name = "no-column-guard",
      replace = {"if (c < columns)\n    for", "for"},
      explain = "In the last block some lanes have no column: they read"
        .. " elements of the next row, and at the end past x.",
    },
    {
      name = "left-early",
      replace = {"warp == 0 && c < columns", "warp == 0"},
      explain = "The lanes without a column write past the end of out.",
    },
    {
      name = "block-of-rows",
      replace = {"r = warp; r < rows; r += 8", "r = warp; r < rows; r++"},
      explain = "Every warp goes through all rows from its own on: rows are"
        .. " added several times. The stride is 8.",
    },
    {
      name = "eight-rows",
      replace = {"r = warp; r < rows; r += 8",
        "r = warp; r < rows && r < 8; r++"},
      explain = "Only the first 8 rows take part.",
    },
    {
      name = "only-warp-0",
      replace = {"for (int k = 1; k < 8; k++) sum += part[k][lane];", ""},
      explain = "Only rows 0, 8, 16 and so on take part: the other warps' sums"
        .. " stay on the desk.",
    },
    {
      name = "one-too-few",
      replace = {"k < 8", "k < 7"},
      explain = "The last warp's sums stay on the desk: its number is 7.",
    },
    {
      name = "row-length",
      replace = {"x[r * columns + c]", "x[r * rows + c]"},
      explain = "A row has `columns` elements: row r begins at r * columns.",
    },
    {
      name = "last-row-alone",
      replace = {"sum += x[r", "sum = x[r"},
      explain = "This is what you get when each thread keeps its last row"
        .. " alone: the ones before are to be added, with +=.",
    },
    {
      name = "one-warp",
      breaks = "min_threads = 64",
      replace = {[[
    for (int r = warp; r < rows; r += 8) sum += x[r * columns + c];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && c < columns) {
    for (int k = 1; k < 8; k++) sum += part[k][lane];]],
        [[
    for (int r = 0; r < rows; r++)
      if (warp == 1) sum += x[r * columns + c];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && c < columns) {
    sum = part[1][lane];]]},
      explain = "One warp goes through all rows, and the other seven wait.",
    },
    {
      name = "without-the-desk",
      breaks = "shared",
      replace = {"for (int k = 1; k < 8; k++) sum += part[k][lane];",
        [[sum = 0;
    for (int r = 0; r < rows; r++) sum += x[r * columns + c];]]},
      explain = "Warp 0 reads the whole matrix by itself, and what the others"
        .. " put into part is read by nobody.",
    },
    {
      name = "turned",
      breaks = "coalescing >= 90",
      replace = {[[float sum = 0;
  if (c < columns)
    for (int r = warp; r < rows; r += 8) sum += x[r * columns + c];
  part[warp][lane] = sum;]], [[float sum = 0;
  for (int k = 0; k < 32; k++) {
    int r = warp * 32 + lane, column = blockIdx.x * 32 + k;
    float own = 0;
    for (; r < rows && column < columns; r += 256)
      own += x[r * columns + column];
    for (int far = 16; far > 0; far /= 2)
      own += __shfl_xor_sync(0xffffffff, own, far);
    if (k == lane) sum = own;
  }
  part[warp][lane] = sum;]]},
      explain = "The lanes of a warp read down a column, a whole row apart"
        .. " from each other: each costs a sector of its own.",
    },
  },
}
