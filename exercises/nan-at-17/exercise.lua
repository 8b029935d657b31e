-- SPDX-License-Identifier: Apache-2.0
local function make(case, rng)
  local rows, columns = case.rows, case.columns
  local x = rng:floats(rows * columns, -8, 8)
  for _, row in ipairs(case.empty or {}) do
    for k = 0, columns - 1 do x[row * columns + k] = 0 end
  end
  if case.small then x = rng:floats(rows * columns, -0.5, 0.5) end
  if case.below then
    for k = 0, rows * columns - 1 do x[k] = -1 - k % 3 end
  end
  local grid = (rows + case.block - 1) // case.block
  return {x = x, out = rows * columns, rows = rows, columns = columns},
    {grid, case.block}
end

return {
  title = "NaN at 17",
  task = "Mend the kernel: each row of x is divided by its largest absolute"
    .. " value; a row of zeros stays a row of zeros.",
  needs = {"transpose-naive"},
  minutes = 15,
  kernel = "scale_rows",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "nan_at_17",
  tolerance = {
    ulp = 0,
    reason = "one division, rounded to the nearest float; a quotient of floats"
      .. " rounded to double first gives the same float",
  },
  budget = 100000,
  make = make,
  cases = {
    {name = "40 rows, row 17 of zeros", rows = 40, columns = 12, block = 32,
      empty = {17}},
    {name = "no row of zeros", rows = 33, columns = 5, block = 32},
    {name = "one zero", rows = 1, columns = 1, block = 32, empty = {0}},
    {name = "all below zero", rows = 20, columns = 7, block = 64, below = true},
    {name = "all below one", rows = 9, columns = 6, block = 32, small = true},
    {name = "the first and the last row", rows = 67, columns = 31, block = 16,
      empty = {0, 66}},
    {name = "large", rows = 501, columns = 40, block = 128,
      empty = {17, 100, 499}, hidden = true},
  },
  requires = {"min_threads = 16"},
  hints = {
    "NaN is what 0 / 0 gives. Where does the kernel divide, and by what?",
    "Print it: if (row == 17) printf(\"%f\\n\", largest); or stop there with"
      .. " :debug and look at largest.",
    "A row of zeros has the largest value 0. Do not divide then, but do write"
      .. " the zeros.",
    "out[first + k] = largest > 0 ? x[first + k] / largest : 0;",
  },
  editorial = "Each element is loaded twice, stored once and divided once; the"
    .. " test for zero adds one comparison. One product with 1 / largest would"
    .. " be cheaper than a division, but rounds twice. Lanes are whole rows"
    .. " apart, 32 sectors a request for rows of 8 numbers or more: softmax"
    .. " gives a row to a whole block.",
  mutants = {
    {
      name = "still-nan",
      replace = {"largest > 0 ? x[first + k] / largest : 0",
        "x[first + k] / largest"},
      explain = "This is what you get when a row of zeros is divided by its"
        .. " largest value: 0 / 0 is NaN.",
    },
    {
      name = "only-17",
      replace = {"largest > 0 ?", "row != 17 ?"},
      explain = "This is what you get when row 17 is an exception: any row may"
        .. " be all zeros, and row 17 need not be.",
    },
    {
      name = "not-written",
      replace = {"out[first + k] = largest > 0 ? x[first + k] / largest : 0;",
        "if (largest > 0) out[first + k] = x[first + k] / largest;"},
      explain = "The row of zeros is left out, and nobody writes its elements.",
    },
    {
      name = "asks-the-element",
      replace = {"largest > 0 ?", "x[first + k] > 0 ?"},
      explain = "This is what you get when the element is asked whether it is"
        .. " above 0: those below 0 become 0.",
    },
    {
      name = "largest-with-sign",
      replace = {"fabsf(x[first + k])", "x[first + k]"},
      explain = "This is what you get when the largest value is looked for"
        .. " without fabsf: -8 is larger than 3 in absolute value.",
    },
    {
      name = "a-little-more",
      replace = {"largest > 0 ? x[first + k] / largest : 0",
        "x[first + k] / (largest + 1e-6f)"},
      explain = "This is what you get when a little is added so that nothing is"
        .. " divided by 0: the NaN is gone, and all other rows are off.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 16",
      replace = {[[
  for (int k = 0; k < columns; k++)
    largest = fmaxf(largest, fabsf(x[first + k]));
  for (int k = 0; k < columns; k++)
    out[first + k] = largest > 0 ? x[first + k] / largest : 0;]], [[
  if (threadIdx.x > 0) return;
  for (int end = min(row + blockDim.x, rows); row < end; row++) {
    first = row * columns;
    largest = 0;
    for (int k = 0; k < columns; k++)
      largest = fmaxf(largest, fabsf(x[first + k]));
    for (int k = 0; k < columns; k++)
      out[first + k] = largest > 0 ? x[first + k] / largest : 0;
  }]]},
      explain = "The first thread of each block does all of its rows, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
