-- SPDX-License-Identifier: Apache-2.0
-- Multiples of 1/256 up to 8 and of 1/4 up to 4: every a * x + y is a float,
-- so whoever rounds twice gets the same bits as whoever rounds once.
local function make(case, rng)
  local n = case.n
  local x, y = rng:steps(n, -8, 8, 1 / 256), rng:steps(n, -8, 8, 1 / 256)
  if case.real then x, y = rng:floats(n, 0, 8), rng:floats(n, 0, 8) end
  return {a = case.a, x = x, y = y, n = n}, {case.grid, case.block}
end

return {
  title = "saxpy: fewer threads than elements",
  task = "y[i] = a * x[i] + y[i] for any n, whatever the grid.",
  needs = {"vector-add"},
  minutes = 15,
  kernel = "saxpy",
  signature = {
    {"value", "float", "a"},
    {"in", "const float *", "x"},
    {"inout", "float *", "y"},
    {"value", "int", "n"},
  },
  reference = "saxpy",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/256 and 1/4, so that product and"
      .. " sum are floats and nothing is rounded",
  },
  budget = 1000000,
  make = make,
  cases = {
    {name = "n=1000, a thread each", n = 1000, a = 2, grid = 8, block = 128},
    {name = "n=1", n = 1, a = 2, grid = 1, block = 32},
    {name = "n=1009, 2 blocks of 96", n = 1009, a = -1.5, grid = 2, block = 96},
    {name = "n=4099, 3 blocks of 77", n = 4099, a = 0.25, grid = 3, block = 77},
    {
      name = "any floats",
      n = 2000, a = 1.1, grid = 5, block = 64, real = true,
      tolerance = {
        ulp = 1,
        reason = "rounding the product and then the sum, all positive, is at"
          .. " most one step from rounding once",
      },
    },
    {name = "a = 0", n = 515, a = 0, grid = 1, block = 33, hidden = true},
    {name = "one thread", n = 101, a = 3, grid = 1, block = 1, hidden = true},
    {name = "more threads than elements", n = 50, a = 1, grid = 4, block = 64,
      hidden = true},
    {name = "large", n = 100003, a = 4, grid = 16, block = 256, hidden = true},
  },
  rank = {
    case = "n=1000, a thread each",
    n = 1 << 24, grid = 1056, bytes = 1 << 27,
  },
  requires = {"min_threads = 64"},
  efficiency = {"coalescing >= 75"},
  hints = {
    "The starter does one element for each thread. With 2 blocks of 96"
      .. " threads that is 192 of 1009: who does the others?",
    "A thread that is done with element i can go on. By how much? The next"
      .. " ones are taken by its neighbours.",
    "The whole grid has gridDim.x * blockDim.x threads: element i plus that"
      .. " number belongs to the same thread.",
    "for (int i = first; i < n; i += gridDim.x * blockDim.x) ...",
  },
  editorial = "Two loads, one store, a product and a sum an element: 12 bytes"
    .. " for 2 operations. The loop adds a comparison and an addition a round;"
    .. " the stride is computed once a thread. In blocks of whole warps a full"
    .. " warp's request takes 4 sectors. by-fours asks for the same with a"
    .. " quarter of the requests.",
  mutants = {
    {
      name = "one-element-each",
      replace = {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
        .. " i += stride)", "int i = blockIdx.x * blockDim.x + threadIdx.x;"
        .. " if (i < n)"},
      explain = "This is what you get when each thread does one element only:"
        .. " with fewer threads than elements, the rest stay as they were.",
    },
    {
      name = "block-stride",
      replace = {"gridDim.x * blockDim.x", "blockDim.x"},
      explain = "The loop steps by one block instead of by the whole grid, so"
        .. " that several blocks do the same elements: the stride is"
        .. " gridDim.x * blockDim.x.",
    },
    {
      name = "off-by-one",
      replace = {"i < n", "i < n - 1"},
      explain = "This is what you get when the loop stops one element too"
        .. " early: the last index is n - 1, and n - 1 is below n.",
    },
    {
      name = "no-bound",
      replace = {"i < n", "i < n + stride"},
      explain = "Every thread goes round once more than there are elements:"
        .. " the loop must end when i reaches n.",
    },
    {
      name = "local-index",
      replace = {"int i = blockIdx.x * blockDim.x + threadIdx.x",
        "int i = threadIdx.x"},
      explain = "Every block begins at element 0 when threadIdx.x alone is"
        .. " the index; the blocks then do each other's elements again.",
    },
    {
      name = "overwrites",
      replace = {"a * x[i] + y[i]", "a * x[i]"},
      explain = "This is what you get when y is overwritten with a * x: the"
        .. " old y is part of the sum.",
    },
    {
      name = "integer-factor",
      replace = {"a * x[i]", "(int)a * x[i]"},
      explain = "This is what you get when a is made an integer: 0.25 becomes"
        .. " 0, and -1.5 becomes -1.",
    },
    {
      name = "kept-sum",
      replace = {[[
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = a * x[i] + y[i];]], [[
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    sum += a * x[i];
    y[i] += sum;
  }]]},
      explain = "This is what you get when the products of a thread are added"
        .. " up on its way: each y[i] gets its own a * x[i] alone.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
        .. " i += stride)",
        "for (int i = blockIdx.x; threadIdx.x == 0 && i < n;"
        .. " i += gridDim.x)"},
      explain = "The first thread of each block does all of its"
        .. " elements, one after the other, and the others have nothing to do.",
    },
  },
}
