-- SPDX-License-Identifier: Apache-2.0
local WARP = 32
return {
  title = "Sum each warp",
  task = "out[w] = the sum of warp w's 32 elements of x, passed from lane to"
    .. " lane by shuffles, in a few rounds.",
  needs = {"block-sum"},
  minutes = 15,
  kernel = "warp_sum",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
  },
  reference = "warp_sum",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 20000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    local x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000)
    return {x = x, out = blocks_for(n, WARP), n = n},
      {blocks_for(n, block), block}
  end,
  cases = {
    {name = "one warp", n = 32, block = 32},
    {name = "1000 elements", n = 1000},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "ones", n = 256, ones = true},
    {name = "blocks of 96", n = 400, block = 96},
    {name = "a warp without elements", n = 64, block = 96},
    {name = "one more than a warp", n = 33, block = 64, hidden = true},
    {name = "large", n = 20011, block = 128, hidden = true},
  },
  requires = {"shuffle", "max_chain = 16"},
  goal = {"shared_load_requests <= 0"},
  hints = {
    "Five rounds: with far = 16, 8, 4, 2 and 1 each lane adds the sum of the"
      .. " lane that is far seats on.",
    "sum += __shfl_down_sync(0xffffffff, sum, far); and every lane comes to it,"
      .. " also one without an element.",
    "In the end lane 0 has the sum. Which warp of the whole grid is it? i /"
      .. " 32.",
    "The last block may have whole warps without an element: out has no place"
      .. " for their sums.",
  },
  editorial = "One load an element, five shuffles and five additions a lane,"
    .. " one store a warp; no shared memory, no barrier. Each lane adds in all"
    .. " rounds, and lane 0 alone has the sum. For whole numbers"
    .. " __reduce_add_sync does it in one instruction, from capability 8.0 on;"
    .. " floats shuffle. sum-shuffle makes the sum of a block of this.",
  mutants = {
    {
      name = "guarded",
      replace = {[[int sum = i < n ? x[i] : 0;
  for]], [[if (i >= n) return;
  int sum = x[i];
  for]]},
      explain = "The threads without an element have left, and lanes that stay"
        .. " read from them: keep all in, with a 0.",
    },
    {
      name = "no-guard",
      replace = {"i < n ? x[i] : 0", "x[i]"},
      explain = "In the last warp some threads read past the end of x: they"
        .. " have no element, and add 0.",
    },
    {
      name = "starts-low",
      replace = {"int far = 16", "int far = 8"},
      explain = "The elements of lanes 16 to 31 are never added: 32 lanes take"
        .. " five rounds, the farthest over 16.",
    },
    {
      name = "stops-early",
      replace = {"far > 0", "far > 1"},
      explain = "The elements with odd numbers are missing: one round has to go"
        .. " to the next lane, far = 1.",
    },
    {
      name = "all-write",
      replace = {"if (i % 32 == 0 && i < n) out[i / 32] = sum;",
        "if (i < n) out[i / 32] = sum;"},
      explain = "All lanes write their sum to the same place, but only lane 0"
        .. " has the whole one.",
    },
    {
      name = "block-index",
      replace = {"out[i / 32]", "out[threadIdx.x / 32]"},
      explain = "threadIdx.x / 32 counts the warps of one block: every block"
        .. " writes to the same few places. i / 32 counts those of the grid.",
    },
    {
      name = "up",
      replace = {"__shfl_down_sync", "__shfl_up_sync"},
      explain = "In each round lane 0 adds its own value once more: it has to"
        .. " get that of a higher lane, by __shfl_down_sync.",
    },
    {
      name = "empty-warps",
      replace = {"i % 32 == 0 && i < n", "i % 32 == 0"},
      explain = "The last block may have warps without any element, for which"
        .. " out has no place.",
    },
    {
      name = "one-for-none",
      replace = {"i < n ? x[i] : 0", "i < n ? x[i] : 1"},
      explain = "This is what you get when a thread without an element brings a"
        .. " 1: what changes no sum is 0.",
    },
    {
      name = "one-reader",
      breaks = "max_chain = 16",
      replace = {[[for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]],
        [[int mine = sum;
  for (int lane = 1; lane < 32; lane++)
    sum += __shfl_down_sync(0xffffffff, mine, lane);]]},
      explain = "Lane 0 asks all others one after the other: 31 rounds instead"
        .. " of five.",
    },
    {
      name = "by-the-desk",
      breaks = "shuffle",
      replace = {[[for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]],
        [[__shared__ int desk[1024];
  int t = threadIdx.x, lane = t % 32;
  desk[t] = sum;
  for (int far = 16; far > 0; far /= 2) {
    __syncthreads();
    if (lane < far) desk[t] += desk[t + far];
  }
  sum = desk[t];]]},
      explain = "The values go by way of shared memory, with a barrier in each"
        .. " round. A warp can hand them over directly.",
    },
    {
      name = "half-by-the-desk",
      breaks = "shared_load_requests <= 0",
      replace = {[[for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]],
        [[__shared__ int desk[1024];
  int t = threadIdx.x, lane = t % 32;
  desk[t] = sum;
  __syncthreads();
  if (lane < 16) sum += desk[t + 16];
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]]},
      explain = "The first round goes by way of shared memory; a shuffle does"
        .. " it as well.",
    },
  },
}
