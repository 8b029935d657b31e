-- SPDX-License-Identifier: Apache-2.0
local function make(case, rng)
  local n = case.n
  local x, y = rng:floats(n, -8, 8), rng:floats(n, -8, 8)
  if case.special then x, y = rng:special(n), rng:special(n) end
  if case.equal then x, y = rng:full(n, 1.5), rng:full(n, -1.5) end
  local grid = (n + case.block - 1) // case.block
  return {x = x, y = y, out = n, n = n}, {grid, case.block}
end

return {
  title = "Add two arrays",
  task = "out[i] = x[i] + y[i], one thread for each element, for any n.",
  needs = {},
  minutes = 10,
  kernel = "add",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "y"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "vector_add",
  tolerance = {
    ulp = 0,
    reason = "one addition, which IEEE 754 rounds to the nearest float",
  },
  budget = 200000,
  make = make,
  cases = {
    {name = "n=4096", n = 4096, block = 128},
    {name = "n=4097", n = 4097, block = 128},
    {name = "n=1", n = 1, block = 128},
    {name = "n=1009, a prime", n = 1009, block = 96},
    {
      name = "special values",
      n = 700, block = 256, special = true,
      tolerance = {
        ulp = 0, allow_nan = true,
        reason = "as above; inf - inf is NaN, and so is NaN + 1",
      },
    },
    {name = "sums of zero", n = 333, block = 64, equal = true, hidden = true},
    {name = "blocks of one", n = 37, block = 1, hidden = true},
    {name = "large", n = 100003, block = 256, hidden = true},
  },
  rank = {case = "n=4096", n = 1 << 24, bytes = 1 << 27},
  requires = {"min_threads = 64"},
  efficiency = {"coalescing >= 90"},
  hints = {
    "Every thread runs the same lines. What tells one from another is its"
      .. " block's number and its own number in the block.",
    "blockIdx.x * blockDim.x + threadIdx.x is the thread's number in the"
      .. " whole grid: let that be i.",
    "4097 elements in blocks of 128 make 33 blocks, and 4224 threads. The"
      .. " last 127 have no element: let them do nothing.",
    "if (i < n) out[i] = x[i] + y[i];",
  },
  editorial = "Two loads, one store and one addition an element: 12 bytes for"
    .. " one operation, and 4 sectors a request, the least for 32 floats. In a"
    .. " large array the bytes are the limit, not the additions. saxpy makes"
    .. " the grid independent of n; by-fours asks for a quarter of the"
    .. " requests.",
  mutants = {
    {
      name = "no-guard",
      replace = {"if (i < n) ", ""},
      explain = "The last block has more threads than there are elements"
        .. " left, and nothing keeps the others from using cells that are"
        .. " not theirs: ask whether i < n first.",
    },
    {
      name = "local-index",
      replace = {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"},
      explain = "This is what you get when threadIdx.x alone is the index:"
        .. " it starts again at 0 in every block, so all blocks work on the"
        .. " first block's elements.",
    },
    {
      name = "off-by-one",
      replace = {"i < n", "i < n - 1"},
      explain = "This is what you get when the guard stops one element too"
        .. " early: the last index is n - 1, and n - 1 is below n.",
    },
    {
      name = "one-too-many",
      replace = {"i < n", "i <= n"},
      explain = "The guard lets one thread too many pass: an array of n"
        .. " elements ends at n - 1, so n is not an index of it.",
    },
    {
      name = "whole-blocks-only",
      replace = {"i < n", "i < n / blockDim.x * blockDim.x"},
      explain = "This is what you get when the last, partly filled block is"
        .. " left out: n / blockDim.x rounds down.",
    },
    {
      name = "wrong-stride",
      replace = {
        "blockIdx.x * blockDim.x + threadIdx.x",
        "blockIdx.x * 128 + threadIdx.x",
      },
      explain = "This is what you get when the block's size is written as"
        .. " 128: it is blockDim.x, and a launch may choose another.",
    },
    {
      name = "one-operand",
      replace = {"x[i] + y[i]", "x[i] + x[i]"},
      explain = "This is what you get when x is added to itself: y never"
        .. " takes part.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {"if (i < n) out[i] = x[i] + y[i];", [[
  if (threadIdx.x == 0)
    for (int k = i; k < i + blockDim.x && k < n; k++) out[k] = x[k] + y[k];]]},
      explain = "The first thread of each block adds all of its"
        .. " elements, one after the other, and the others have nothing to do.",
    },
  },
}
