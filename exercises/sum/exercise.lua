-- SPDX-License-Identifier: Apache-2.0
-- One for each of 16 blocks. What a block does in shared memory is its own
-- affair.
local FULL = {"16 blocks of 256"}

return {
  title = "The whole sum",
  task = "total[0] grows by the sum of x: any number of elements, any grid,"
    .. " and one atomicAdd for each block.",
  needs = {"sum-shuffle", "histogram"},
  minutes = 20,
  kernel = "sum",
  signature = {
    {"in", "const int *", "x"},
    {"inout", "int *", "total"},
    {"value", "int", "n"},
  },
  reference = "sum",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 50000,
  make = function(case, rng)
    local n = case.n
    local x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000)
    local before = case.before or 0
    return {x = x, total = rng:ints(1, before, before), n = n},
      {case.grid or 16, case.block or 256}
  end,
  cases = {
    {name = "16 blocks of 256", n = 16384},
    {name = "fewer elements than threads", n = 1000},
    {name = "n=1", n = 1},
    {name = "n=10007, a prime", n = 10007, block = 96},
    {name = "one block", n = 5000, grid = 1},
    {name = "one warp", n = 999, grid = 1, block = 32},
    {name = "a total of 100 before", n = 3000, before = 100},
    {name = "ones", n = 20000, ones = true, block = 1024, grid = 3},
    {name = "blocks of 992", n = 5000, grid = 2, block = 992},
    {name = "large", n = 70001, grid = 20, block = 128, hidden = true},
  },
  rank = {case = "16 blocks of 256", n = 1 << 24, grid = 1056, bytes = 1 << 26},
  requires = {"min_threads = 32"},
  goal = {{"global_reductions <= 16", cases = FULL},
    {"global_atomics <= 16", cases = FULL}},
  hints = {
    "Three parts: a grid-stride loop, the sum of a block, and one atomicAdd.",
    "The loop begins at blockIdx.x * blockDim.x + threadIdx.x and goes on by"
      .. " gridDim.x * blockDim.x, the threads of the whole grid.",
    "The sum of a block is that of sum-shuffle: shuffles, one cell for each"
      .. " warp, a barrier, shuffles.",
    "In the end, where a single block would write its sum: if (t == 0)"
      .. " atomicAdd(total, sum);",
  },
  editorial = "Each element is loaded once, with a barrier and one atomic for"
    .. " each block: 16 atomics in the first case, however large n is. Whole"
    .. " numbers come out the same in any order. With floats the order of the"
    .. " atomics is open, and so are the last bits; sum-one-kernel leaves a"
    .. " part for each block, and the last block adds them up.",
  mutants = {
    {
      name = "plain-add",
      replace = {"atomicAdd(total, sum)", "total[0] += sum"},
      explain = "Reading, adding and writing are three steps, and another"
        .. " block may come in between: its sum is lost.",
    },
    {
      name = "overwritten",
      replace = {"atomicAdd(total, sum)", "atomicExch(total, sum)"},
      explain = "Each block puts its own sum in place of what was there. total"
        .. " is to grow.",
    },
    {
      name = "no-loop",
      replace = {"i < n; i += stride", "i < n; i = n"},
      explain = "Each thread takes one element: with fewer threads than"
        .. " elements the rest is left out.",
    },
    {
      name = "stride-of-the-block",
      replace = {"stride = gridDim.x * blockDim.x", "stride = blockDim.x"},
      explain = "The stride is that of one block: blocks come to elements that"
        .. " others do as well.",
    },
    {
      name = "past-the-end",
      replace = {"i < n;", "i <= n;"},
      explain = "The last element is x[n - 1]: i <= n reads one behind it.",
    },
    {
      name = "no-barrier",
      replace = {"\n  __syncthreads();", ""},
      explain = "The first warp reads the sums before the others have put them"
        .. " into part.",
    },
    {
      name = "eight-warps",
      replace = {"t < blockDim.x / 32 ?", "t < 8 ?"},
      explain = "8 warps are those of 256 threads; a block may have more of"
        .. " them, or fewer: blockDim.x / 32.",
    },
    {
      name = "only-block-0",
      replace = {"if (t == 0) atomicAdd",
        "if (t == 0 && blockIdx.x == 0) atomicAdd"},
      explain = "Only block 0 brings its sum; the other blocks' elements are"
        .. " missing.",
    },
    {
      name = "starts-low",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]]},
      explain = "This is what you get when the rounds of each warp begin with"
        .. " 8: what lanes 16 to 31 hold is never added.",
    },
    {
      name = "starts-low-twice",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 8; far > 0; far /= 2)]]},
      explain = "This is what you get when both loops of rounds begin with 8:"
        .. " what lanes 16 to 31 hold is never added.",
    },
    {
      name = "one-for-no-warp",
      replace = {"part[t] : 0", "part[t] : 1"},
      explain = "This is what you get when the lanes beyond the number of warps"
        .. " bring a 1: what changes no sum is 0.",
    },
    {
      name = "begins-with-one",
      replace = {"int sum = 0;", "int sum = 1;"},
      explain = "This is what you get when the sum of each thread begins with"
        .. " 1: what changes no sum is 0.",
    },
    {
      name = "last-alone",
      replace = {"sum += x[i]", "sum = x[i]"},
      explain = "This is what you get when each thread keeps its last element"
        .. " alone: the ones before are to be added, with +=.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"if (t == 0) atomicAdd", [[
    if (t == 0) {
      sum = 0;
      for (int i = blockIdx.x * blockDim.x; i < n; i += stride)
        for (int k = i; k < i + blockDim.x && k < n; k++) sum += x[k];
    }
    if (t == 0) atomicAdd]]},
      explain = "Thread 0 of each block adds up all of its elements by itself.",
    },
    {
      name = "every-warp",
      breaks = "global_reductions <= 16",
      replace = {"if (t % 32 == 0) part[t / 32] = sum;", [[
  if (t % 32 == 0) atomicAdd(total, sum);
  sum = 0;
  if (t % 32 == 0) part[t / 32] = sum;]]},
      explain = "Every warp goes to total by itself, eight times as often as"
        .. " needed. Add up the block first.",
    },
    {
      name = "every-warp-looks",
      breaks = "global_atomics <= 16",
      replace = {"if (t % 32 == 0) part[t / 32] = sum;",
        "if (t % 32 == 0 && atomicAdd(total, 0) != 1 << 30)"
        .. " part[t / 32] = sum;"},
      explain = "Every warp looks at total by an atomic, and the block's one at"
        .. " the end is enough.",
    },
  },
}
