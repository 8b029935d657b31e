-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Swapped axes",
  task = "Mend the kernel: m[r][c] grows by v[c], for any number of rows and"
    .. " columns.",
  needs = {"outer-sum"},
  minutes = 10,
  kernel = "add_rows",
  signature = {
    {"inout", "float *", "m"},
    {"in", "const float *", "v"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "swapped_axes",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/256 below 2^9, so that a sum is"
      .. " exact",
  },
  budget = 20000,
  make = function(case, rng)
    local x, y = case.x or 32, case.y or 4
    return {
      m = rng:steps(case.rows * case.columns, -256, 256, 1 / 256),
      v = rng:steps(case.columns, 1, 256, 1 / 256),
      rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, x), blocks_for(case.rows, y)}, {x, y}}
  end,
  cases = {
    {name = "32 rows of 32", rows = 32, columns = 32},
    {name = "4 rows of 50", rows = 4, columns = 50},
    {name = "50 rows of 4", rows = 50, columns = 4},
    {name = "one element", rows = 1, columns = 1},
    {name = "blocks of 16 x 8", rows = 20, columns = 30, x = 16, y = 8},
    {name = "large", rows = 173, columns = 251, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Read the guard aloud: how far may c go, and how far r?",
    "How many elements lie before row r? r whole rows, of which length?",
    "c < columns, r < rows, and m[r * columns + c].",
  },
  editorial = "Two loads, one store and one addition an element: m is read and"
    .. " written once, and each v[c] is read by every row. In blocks 32 wide a"
    .. " warp lies in one row and takes neighbours of both arrays. With x for"
    .. " the rows they would be whole rows apart. axpy-2d goes on: any grid,"
    .. " and a gap after each row.",
  mutants = {
    {
      name = "guard-only",
      replace = {"m[r * columns + c]", "m[r * rows + c]"},
      explain = "The guard is right now, the place is not: before row r lie r"
        .. " rows of `columns` elements.",
    },
    {
      name = "place-only",
      replace = {"r < rows && c < columns", "c < rows && r < columns"},
      explain = "The place is right now, the guard is not: r goes up to rows, c"
        .. " up to columns.",
    },
    {
      name = "by-row",
      replace = {"v[c]", "v[r]"},
      explain = "v has one number for each column, so it is v[c].",
    },
    {
      name = "column-by-column",
      replace = {"m[r * columns + c]", "m[c * rows + r]"},
      explain = "This takes the matrix to lie column after column; it lies row"
        .. " after row.",
    },
    {
      name = "no-column-guard",
      replace = {"r < rows && c < columns", "r < rows"},
      explain = "Both directions need their guard.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) m[r * columns + c] += v[c];]], [[
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < blockDim.x * blockDim.y; k++) {
    int c = blockIdx.x * blockDim.x + k % blockDim.x;
    int r = blockIdx.y * blockDim.y + k / blockDim.x;
    if (r < rows && c < columns) m[r * columns + c] += v[c];
  }]]},
      explain = "The first thread of each block does all of its elements, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
