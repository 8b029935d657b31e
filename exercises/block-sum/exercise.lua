-- SPDX-License-Identifier: Apache-2.0
-- Multiples of 1/1024 within 1: 256 of them sum to at most 256, which is 18
-- bits with the fraction, so that every order of adding gives the same float.
local BLOCK = 256

local function make(case, rng)
  local n = case.n
  local x = rng:steps(n, -1, 1, 1 / 1024)
  if case.ones then x = rng:full(n, 1) end
  if case.real then x = rng:floats(n, -1, 1) end
  local grid = (n + BLOCK - 1) // BLOCK
  return {x = x, out = grid, n = n}, {grid, BLOCK}
end

return {
  title = "Sum each block",
  task = "out[b] = the sum of block b's 256 elements, added in shared memory.",
  needs = {"vector-add"},
  minutes = 30,
  kernel = "block_sum",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "block_sum",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/1024 within 1, so that 256 of them"
      .. " sum exactly in any order",
  },
  budget = 200000,
  make = make,
  cases = {
    {name = "one full block", n = 256},
    {name = "n=1009, a prime", n = 1009},
    {name = "n=1", n = 1},
    {name = "n=4096", n = 4096},
    {name = "ones", n = 1000, ones = true},
    {
      name = "any floats",
      n = 2500, real = true,
      tolerance = {
        abs = 255 * 256 / 2 ^ 24,
        reason = "255 additions in any order, each off by at most 2^-24 of a"
          .. " partial sum, which stays within 256",
      },
    },
    {name = "one short of a block", n = 511, hidden = true},
    {name = "one more than a block", n = 513, hidden = true},
    {name = "large", n = 100003, hidden = true},
  },
  requires = {"shared", "barrier", "min_threads = 64", "max_chain = 64"},
  efficiency = {"shared_bank_conflicts <= 0"},
  hints = {
    "Threads of one block share memory that is declared __shared__: 256"
      .. " cells, one for each thread.",
    "A thread may read another thread's cell only after __syncthreads(),"
      .. " which waits until every thread of the block has come that far.",
    "Let half of the threads add the other half's cells to their own, then a"
      .. " quarter, then an eighth. Each round needs its own barrier.",
    "A thread without an element must still put 0 into its cell and must"
      .. " still reach every __syncthreads(): do not return early.",
    "for (int half = 128; half > 0; half /= 2) { if (threadIdx.x < half)"
      .. " part[threadIdx.x] += part[threadIdx.x + half]; __syncthreads(); }",
  },
  editorial = "One load an element, one store a block, and 9 barriers: one"
    .. " behind the load and one in each of 8 rounds, where one thread alone"
    .. " would add 255 times. The desk takes 1024 bytes, without bank"
    .. " conflicts. In the first round half of the threads are idle already,"
    .. " and in the last six only one warp has work. Lesson 22 goes on from"
    .. " here, with last-warp and sum-shuffle.",
  mutants = {
    {
      name = "no-first-barrier",
      replace = {": 0.0f;\n  __syncthreads();", ": 0.0f;"},
      explain = "The sums begin before every thread has put its element into"
        .. " part: a __syncthreads() belongs between the two.",
    },
    {
      name = "no-barrier-in-loop",
      replace = {"half];\n    __syncthreads();", "half];"},
      explain = "Each round reads what other threads wrote in the round"
        .. " before: without a __syncthreads() in the loop, who comes first"
        .. " is luck.",
    },
    {
      name = "uninitialised-cell",
      replace = {"part[threadIdx.x] = i < n ? x[i] : 0.0f",
        "if (i < n) part[threadIdx.x] = x[i]"},
      explain = "In the last block the threads without an element leave their"
        .. " cells unwritten, and the sum adds whatever is there: write 0.",
    },
    {
      name = "no-guard",
      replace = {"i < n ? x[i] : 0.0f", "x[i]"},
      explain = "In the last block some threads read past the end of x: only"
        .. " those with i < n have an element.",
    },
    {
      name = "local-index",
      replace = {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"},
      explain = "This is what you get when threadIdx.x alone is the index:"
        .. " every block sums the first block's elements.",
    },
    {
      name = "starts-too-low",
      replace = {"int half = 128", "int half = 64"},
      explain = "This is what you get when the rounds begin with 64 threads:"
        .. " the upper 128 cells are never added.",
    },
    {
      name = "stops-early",
      replace = {"half > 0", "half > 1"},
      explain = "This is what you get when the last round is left out: cell 1"
        .. " still has to be added to cell 0.",
    },
    {
      name = "one-block",
      replace = {"out[blockIdx.x] = part[0]",
        "if (blockIdx.x == 0) out[0] = part[0]"},
      explain = "This is what you get when only the first block writes its"
        .. " sum: every block has a cell of out, out[blockIdx.x].",
    },
    {
      name = "one-for-none",
      replace = {"i < n ? x[i] : 0.0f", "i < n ? x[i] : 1.0f"},
      explain = "This is what you get when a thread without an element brings a"
        .. " 1: what changes no sum is 0.",
    },
    {
      name = "one-thread",
      breaks = "shared",
      replace = {"if (threadIdx.x == 0) out[blockIdx.x] = part[0];", [[
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 256 && i + k < n; k++) sum += x[i + k];
    out[blockIdx.x] = sum;
  }]]},
      explain = "One thread adds up everything by itself, and what the others"
        .. " put into part is read by nobody.",
    },
    {
      name = "one-warp",
      breaks = "barrier",
      replace = {"if (threadIdx.x == 0) out[blockIdx.x] = part[0];", [[
  __shared__ float own[32];
  if (threadIdx.x < 32) {
    own[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncwarp();
    if (threadIdx.x == 0) {
      float sum = 0.0f;
      for (int k = 0; k < 32; k++) sum += own[k];
      for (int k = 32; k < 256 && i + k < n; k++) sum += x[i + k];
      out[blockIdx.x] = sum;
    }
  }]]},
      explain = "Only the first warp shares its cells, and one thread adds the"
        .. " rest: no value passes a __syncthreads().",
    },
    {
      name = "two-threads",
      breaks = "min_threads = 64",
      replace = {"if (threadIdx.x == 0) out[blockIdx.x] = part[0];", [[
  int first = blockIdx.x * 256;
  if (threadIdx.x < 2) {
    float sum = 0.0f;
    for (int k = threadIdx.x; k < 256 && first + k < n; k += 2)
      sum += x[first + k];
    part[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1];]]},
      explain = "Two threads do the work of 256; what the others load is thrown"
        .. " away.",
    },
    {
      name = "one-adder",
      breaks = "max_chain = 64",
      replace = {[[int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];]],
        [[int k = 1; k < 256; k++) {
    if (threadIdx.x == 0) part[0] += part[k];]]},
      explain = "All threads load, but one adds, 255 times, while the others"
        .. " wait: let all add at once.",
    },
  },
}
