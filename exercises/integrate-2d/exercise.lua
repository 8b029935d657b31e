-- SPDX-License-Identifier: Apache-2.0
local BLOCK = 128

return {
  title = "A volume, column by column",
  task = "sums[b] = block b's part of the volume under sin(x + y) over the unit"
    .. " square, n x n midpoints, added in shared memory.",
  needs = {"block-sum"},
  minutes = 20,
  kernel = "integrate",
  signature = {
    {"in", "const double *", "middle"},
    {"out", "double *", "sums"},
    {"value", "int", "n"},
  },
  reference = "integrate_2d",
  tolerance = {
    abs = 1e-10,
    reason = "the 128 n terms of a block are below 1 and wrong by less than"
      .. " 10^-15 each; adding them in any order is wrong by less than (128"
      .. " n)^2 2^-53; times h^2 = 1/n^2 that is 2 10^-12, and as much for the"
      .. " reference",
  },
  budget = 10000000,
  make = function(case, rng)
    local middle, grid = rng:full(case.n, 0), (case.n + BLOCK - 1) // BLOCK
    for i = 0, case.n - 1 do middle[i] = (i + 0.5) / case.n end
    return {middle = middle, sums = grid, n = case.n}, {grid, BLOCK}
  end,
  cases = {
    {name = "200 columns", n = 200},
    {name = "one square", n = 1},
    {name = "one full block", n = 128},
    {name = "129 columns", n = 129},
    {name = "a prime", n = 37},
    {name = "large", n = 263, hidden = true},
  },
  requires = {"shared", "barrier", "min_threads = 64"},
  hints = {
    "Column i has x = middle[i]. Its thread goes through all rows with y ="
      .. " middle[row] and adds sin(x + y).",
    "Threads beyond the last column have the sum 0, and put it into part like"
      .. " everybody.",
    "Then as in block-sum: a barrier, rounds with half = 64, 32, ... 1, and a"
      .. " barrier in each round.",
    "At the end thread 0 writes part[0] * h * h to sums[blockIdx.x].",
  },
  editorial = "n sines a thread, n * n in all, then 8 barriers and 7 rounds of"
    .. " a tree for each block; the desk takes 1024 bytes. Only as many"
    .. " threads as there are columns have sines to add: a grid in two"
    .. " dimensions would have more. The host still adds a number for each"
    .. " block. The exercise sum lets the blocks do that, by one atomicAdd"
    .. " each.",
  mutants = {
    {
      name = "diagonal",
      replace = {"middle[row]", "middle[column]"},
      explain = "y is taken from the column like x: all n values of a thread"
        .. " are the same, that of the diagonal.",
    },
    {
      name = "no-guard",
      replace = {"  if (column < n)\n    for", "    for"},
      explain = "Threads beyond the last column read past the end of middle,"
        .. " and add columns that lie outside of the square.",
    },
    {
      name = "width-once",
      replace = {"part[0] * h * h", "part[0] * h"},
      explain = "A small square has the area h * h; times h once is a row of"
        .. " lengths.",
    },
    {
      name = "no-barrier",
      replace = {"part[t] = sum;\n  __syncthreads();", "part[t] = sum;"},
      explain = "The rounds begin before every thread has written its sum.",
    },
    {
      name = "no-barrier-in-loop",
      replace = {"half];\n    __syncthreads();", "half];"},
      explain = "Each round reads what others wrote in the round before: a"
        .. " barrier belongs between the rounds.",
    },
    {
      name = "empty-cells",
      replace = {"part[t] = sum;", "if (column < n) part[t] = sum;"},
      explain = "Threads without a column leave their cell unwritten, and the"
        .. " rounds read it: write 0.",
    },
    {
      name = "starts-too-low",
      replace = {"half = 64", "half = 32"},
      explain = "The rounds begin with 32 threads: the upper 64 cells are never"
        .. " added.",
    },
    {
      name = "block-column",
      replace = {"column = blockIdx.x * blockDim.x + t", "column = t"},
      explain = "Every block does the first 128 columns.",
    },
    {
      name = "one-sum",
      replace = {"sums[blockIdx.x] = part[0]",
        "if (blockIdx.x == 0) sums[0] = part[0]"},
      explain = "Only the first block writes its part: each has a cell of its"
        .. " own, sums[blockIdx.x].",
    },
    {
      name = "one-thread",
      breaks = "shared",
      replace = {"if (t == 0) sums[blockIdx.x] = part[0] * h * h;", [[
  if (t == 0) {
    sum = 0;
    for (int k = column; k < n && k < column + blockDim.x; k++)
      for (int row = 0; row < n; row++)
        sum += sin(middle[k] + middle[row]);
    sums[blockIdx.x] = sum * h * h;
  }]]},
      explain = "Thread 0 does all columns once more by itself; what the others"
        .. " put into part is not used.",
    },
    {
      name = "one-warp",
      breaks = "barrier",
      replace = {"if (t == 0) sums[blockIdx.x] = part[0] * h * h;", [[
  __shared__ double own[32];
  if (t < 32) {
    own[t] = 0;
    for (int k = column; k < n && k < column - t + blockDim.x; k += 32)
      for (int row = 0; row < n; row++)
        own[t] += sin(middle[k] + middle[row]);
    __syncwarp();
    if (t == 0) {
      sum = 0;
      for (int k = 0; k < 32; k++) sum += own[k];
      sums[blockIdx.x] = sum * h * h;
    }
  }]]},
      explain = "Only the first warp works for the result; no value of it"
        .. " passes a __syncthreads().",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {[[
  if (column < n)
    for (int row = 0; row < n; row++) sum += sin(middle[column] + middle[row]);
  part[t] = sum;
  __syncthreads();]], [[
  if (t == 0)
    for (int end = min(column + 128, n); column < end; column++)
      for (int row = 0; row < n; row++)
        sum += sin(middle[column] + middle[row]);
  part[t] = sum;
  __syncthreads();]]},
      explain = "The first thread of each block adds up all of its columns, and"
        .. " the others bring zeros.",
    },
  },
}
