-- SPDX-License-Identifier: Apache-2.0
local WARP = 32
return {
  title = "Hands up",
  task = "counts[w] = how many of warp w's 32 elements of x are above limit,"
    .. " by a vote.",
  needs = {"warp-sum"},
  minutes = 10,
  kernel = "count_if",
  signature = {
    {"in", "const float *", "x"},
    {"value", "float", "limit"},
    {"out", "int *", "counts"},
    {"value", "int", "n"},
  },
  reference = "count_if",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    local x = case.all and rng:full(n, 5) or rng:steps(n, -8, 8, 1 / 2)
    local limit = case.limit or 2
    return {x = x, limit = limit, counts = blocks_for(n, WARP), n = n},
      {blocks_for(n, block), block}
  end,
  cases = {
    {name = "one warp", n = 32, block = 32},
    {name = "1000 elements", n = 1000},
    {name = "all above", n = 256, all = true},
    {name = "none above", n = 100, limit = 8},
    {name = "a negative limit", n = 77, limit = -3},
    {name = "n=1", n = 1, limit = -9},
    {name = "blocks of 96", n = 400, block = 96},
    {name = "a warp without elements", n = 64, block = 96},
    {
      name = "one more than a warp",
      n = 33, block = 64, limit = -9, hidden = true,
    },
    {name = "large", n = 20011, block = 128, hidden = true},
  },
  requires = {"shuffle"},
  goal = {
    "shared_load_requests <= 0", "atomics <= 0",
    {"active_lanes >= 8", cases = {"1000 elements"}},
  },
  hints = {
    "Each lane has a yes or a no. __ballot_sync gives all 32 answers as bits.",
    "__popc(hands) counts the bits that are 1.",
    "A thread without an element must come to the vote and keep its hand down:"
      .. " i < n && x[i] > limit.",
    "Lane 0 of each warp writes, to counts[i / 32], if its i is below n.",
  },
  editorial = "One load an element, one vote and one __popc a warp in place of"
    .. " five rounds, and one store: no shared memory and no atomic. The vote"
    .. " says more than the number: the hands below a lane tell which place"
    .. " would be its own, as in close_ranks of lesson 21. For a whole array"
    .. " that is compact.",
  mutants = {
    {
      name = "hand-of-zero",
      replace = {"bool up = i < n && x[i] > limit",
        "float v = i < n ? x[i] : 0; bool up = v > limit"},
      explain = "A thread without an element votes with a 0, and 0 is above a"
        .. " negative limit: only i < n keeps its hand down.",
    },
    {
      name = "added-up",
      replace = {[[unsigned hands = __ballot_sync(0xffffffff, up);
  if (i % 32 == 0 && i < n) counts[i / 32] = __popc(hands);]],
        "if (up) atomicAdd(&counts[i / 32], 1);"},
      explain = "counts is added to, and nobody has set it to 0: what was there"
        .. " before is in it. A count is written, by one lane of each warp.",
    },
    {
      name = "first-of-block",
      replace = {"i % 32 == 0", "threadIdx.x == 0"},
      explain = "threadIdx.x is 0 once in a block: only its first warp writes."
        .. " Each warp has a lane 0, where threadIdx.x % 32 is 0.",
    },
    {
      name = "raised-only",
      replace = {[[unsigned hands = __ballot_sync(0xffffffff, up);
  if (i % 32 == 0 && i < n)]],
        [[unsigned hands = up ? __ballot_sync(__activemask(), 1) : 0;
  if (up && i % 32 == 0)]]},
      explain = "Only who holds a hand up comes to the line that writes, and"
        .. " lane 0 may not be among them: let all vote, and lane 0 write in"
        .. " any case.",
    },
    {
      name = "four-rounds",
      replace = {"unsigned hands = __ballot_sync(0xffffffff, up);",
        [[int count = up;
  for (int far = 16; far > 1; far /= 2)
    count += __shfl_down_sync(0xffffffff, count, far);
  unsigned hands = (1u << count) - 1;]]},
      explain = "The round of distance 1 is left out, and with it every lane"
        .. " with an odd number.",
    },
    {
      name = "no-guard",
      replace = {"i < n && x[i] > limit", "x[i] > limit"},
      explain = "In the last warp some threads read past the end of x: only"
        .. " those with i < n have an element.",
    },
    {
      name = "guarded",
      replace = {[[bool up = i < n && x[i] > limit;
  unsigned hands = __ballot_sync(0xffffffff, up);]],
        [[unsigned hands = 0;
  if (i < n) hands = __ballot_sync(0xffffffff, x[i] > limit);]]},
      explain = "The vote stands inside the guard, and the mask names all 32:"
        .. " all have to come, with the hand down.",
    },
    {
      name = "or-equal",
      replace = {"x[i] > limit", "x[i] >= limit"},
      explain = "Elements equal to limit are counted, too: they are not above"
        .. " it.",
    },
    {
      name = "the-photograph",
      replace = {"__popc(hands)", "hands"},
      explain = "This is the photograph itself, one bit for each lane: __popc"
        .. " counts the bits that are 1.",
    },
    {
      name = "any-hand",
      replace = {"__ballot_sync", "__any_sync"},
      explain = "__any_sync says only whether a hand is up: 0 or 1.",
    },
    {
      name = "block-index",
      replace = {"counts[i / 32]", "counts[threadIdx.x / 32]"},
      explain = "threadIdx.x / 32 counts the warps of one block: every block"
        .. " writes to the same few places. i / 32 counts those of the grid.",
    },
    {
      name = "half-the-mask",
      replace = {"__popc(hands)", "__popc(hands & 0xffff)"},
      explain = "Only the hands of lanes 0 to 15 are counted.",
    },
    {
      name = "empty-warps",
      replace = {"i % 32 == 0 && i < n", "i % 32 == 0"},
      explain = "The last block may have warps without any element, for which"
        .. " counts has no place.",
    },
    {
      name = "below",
      replace = {"x[i] > limit", "x[i] < limit"},
      explain = "This is what you get when those below the limit are counted.",
    },
    {
      name = "those-below-too",
      replace = {"__popc(hands)", "__popc(~hands)"},
      explain = "This is what you get when the hands that stay down are"
        .. " counted.",
    },
    {
      name = "by-the-desk",
      breaks = "shuffle",
      replace = {[[unsigned hands = __ballot_sync(0xffffffff, up);
  if (i % 32 == 0 && i < n) counts[i / 32] = __popc(hands);]],
        [[__shared__ int desk[1024];
  int t = threadIdx.x;
  desk[t] = up;
  __syncthreads();
  int count = 0;
  for (int k = 0; t % 32 == 0 && k < 32; k++) count += desk[t + k];
  if (i % 32 == 0 && i < n) counts[i / 32] = count;]]},
      explain = "The answers go by way of shared memory, and one lane reads"
        .. " them one after the other. A vote tells all of them at once.",
    },
    {
      name = "half-by-the-desk",
      breaks = "shared_load_requests <= 0",
      replace = {[[unsigned hands = __ballot_sync(0xffffffff, up);]],
        [[__shared__ bool desk[1024];
  desk[threadIdx.x] = up;
  __syncthreads();
  unsigned hands =
    __ballot_sync(0xffffffff, desk[threadIdx.x ^ 1]);]]},
      explain = "Nobody has to walk to the desk before the vote.",
    },
    {
      name = "collected",
      breaks = "atomics <= 0",
      replace = {"counts[i / 32] = __popc(hands);",
        [[counts[i / 32] = 0;
  __syncwarp();
  if (i < n && i % 32 == 0) atomicAdd(&counts[i / 32], __popc(hands));]]},
      explain = "One lane has the whole count already: it can write it.",
    },
    {
      name = "one-lane",
      breaks = "active_lanes >= 8",
      replace = {[[
  bool up = i < n && x[i] > limit;
  unsigned hands = __ballot_sync(0xffffffff, up);
  if (i % 32 == 0 && i < n) counts[i / 32] = __popc(hands);]], [[
  int count = 0;
  if (i % 32 == 1)
    for (int k = i - 1; k < min(i + 31, n); k++) count += x[k] > limit;
  count = __shfl_sync(0xffffffff, count, 1);
  if (i % 32 == 0 && i < n) counts[i / 32] = count;]]},
      explain = "One lane counts all elements of its warp and hands the count"
        .. " on; the others have nothing to do.",
    },
  },
}
