-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Balances of a block",
  task = "out[i] = the sum of the elements of i's block up to i, by all"
    .. " threads of the block together, in a few rounds.",
  needs = {"warp-scan", "sum-shuffle"},
  minutes = 25,
  kernel = "scan_block",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
  },
  reference = "scan_block",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 50000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    local x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000)
    return {x = x, out = n, n = n}, {(n + block - 1) // block, block}
  end,
  cases = {
    {name = "one block of 256", n = 256},
    {name = "8 blocks of 256", n = 2048},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "blocks of one warp", n = 100, block = 32},
    {name = "blocks of 96", n = 1000, block = 96},
    {name = "blocks of 1024", n = 3000, block = 1024},
    {name = "ones", n = 1000, block = 512, ones = true},
    {name = "blocks of 992", n = 2000, block = 992, hidden = true},
    {name = "large", n = 20011, hidden = true},
  },
  requires = {"shared", "max_chain = 64"},
  hints = {
    "Three stages: each warp scans its own; the totals of the warps are"
      .. " scanned; each warp adds what all warps before it have.",
    "The total of a warp is in its last lane: if (lane == 31) totals[warp] ="
      .. " sum;",
    "Between writing the totals and reading them stands a barrier, and between"
      .. " their scan and its use another one.",
    "Warp w adds totals[w - 1] of the scanned totals, and warp 0 nothing.",
    "A block has up to 32 warps, so the first warp scans the totals like its"
      .. " own elements, with a 0 for each lane beyond the number of warps.",
  },
  editorial = "One load and one store an element, two barriers, 128 bytes of"
    .. " desk. Five shuffles a lane and five more in the first warp, then one"
    .. " addition: at most 11 one after the other, also for 1024 elements."
    .. " While the first warp scans the totals, the others wait. scan does the"
    .. " same once more, with blocks in place of warps, for any number of"
    .. " elements up to 16 million.",
  mutants = {
    {
      name = "no-first-barrier",
      replace = {"totals[warp] = sum;\n  __syncthreads();",
        "totals[warp] = sum;"},
      explain = "The first warp reads the totals before the others have put"
        .. " them there.",
    },
    {
      name = "no-second-barrier",
      replace = {"  }\n  __syncthreads();\n  if (warp > 0)",
        "  }\n  if (warp > 0)"},
      explain = "The warps take what came before them while the first warp is"
        .. " still at it.",
    },
    {
      name = "own-total-too",
      replace = {"if (warp > 0) sum += totals[warp - 1]",
        "sum += totals[warp]"},
      explain = "totals[warp] has the warp's own total in it: what came before"
        .. " is totals[warp - 1].",
    },
    {
      name = "one-warp-back",
      replace = {"if (lane >= far) total += below;", ""},
      explain = "The totals are not scanned: each warp adds only the one"
        .. " before it.",
    },
    {
      name = "warps-alone",
      replace = {"if (warp > 0) sum += totals[warp - 1];", ""},
      explain = "Each warp begins with 0 again: what lies before it in the"
        .. " block is missing.",
    },
    {
      name = "first-lane",
      replace = {"if (lane == 31)", "if (lane == 0)"},
      explain = "Lane 0 has only its own element. The warp's total is in lane"
        .. " 31.",
    },
    {
      name = "exclusive",
      replace = {"if (i < n) out[i] = sum;", "if (i < n) out[i] = sum - x[i];"},
      explain = "This is the exclusive scan: x[i] itself is missing.",
    },
    {
      name = "too-few-rounds",
      replace = {[[totals[lane] : 0;
    for (int far = 1; far < 32;]], [[totals[lane] : 0;
    for (int far = 1; far < 8;]]},
      explain = "Rounds 1, 2 and 4 are enough for 8 warps. A block may have"
        .. " 32.",
    },
    {
      name = "alone",
      breaks = "shared",
      replace = {"if (i < n) out[i] = sum;",
        [[sum = 0;
  for (int k = i - t; k <= i && i < n; k++) sum += x[k];
  if (i < n) out[i] = sum;]]},
      explain = "Each thread adds up everything before it by itself, and what"
        .. " the others put into totals is not used.",
    },
    {
      name = "the-clerk",
      breaks = "max_chain = 64",
      replace = {"if (i < n) out[i] = sum;", [[__shared__ int all[1024];
  all[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < blockDim.x; k++) all[k] += all[k - 1];
  __syncthreads();
  if (i < n) out[i] = all[t];]]},
      explain = "One thread adds up the whole block, as the bank clerk does,"
        .. " while the others wait.",
    },
  },
}
