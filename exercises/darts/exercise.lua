-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Darts",
  task = "hits[0] grows by the number of darts, of n, that hit the quarter"
    .. " circle; each dart has random numbers of its own.",
  needs = {"lost-updates"},
  minutes = 15,
  kernel = "darts",
  signature = {
    {"inout", "int *", "hits"},
    {"value", "int", "n"},
    {"value", "int", "seed"},
  },
  reference = "darts",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case, rng)
    return {
      hits = rng:ints(1, 0, case.most or 0), n = case.n,
      seed = rng:ints(1, 0, 1000000)[0],
    }, {case.grid, case.block or 64}
  end,
  cases = {
    {name = "1024 darts, a thread each", n = 1024, grid = 16},
    {name = "10000 darts, 4 blocks", n = 10000, grid = 4},
    {name = "one dart", n = 1, grid = 1},
    {name = "no dart", n = 0, grid = 2, most = 100},
    {name = "there are hits already", n = 300, grid = 2, most = 500},
    {name = "997 darts, 3 blocks of 96", n = 997, grid = 3, block = 96},
    {name = "large", n = 40009, grid = 8, block = 256, hidden = true},
  },
  hints = {
    "Which darts does a thread throw? Count darts as you count elements in a"
      .. " grid-stride loop.",
    "The number of the dart, d, is what is mixed: no two darts have the same"
      .. " numbers then.",
    "Count in a variable of the thread's own, and bring that to hits[0] in the"
      .. " end, by atomicAdd.",
  },
  editorial = "No loads at all: a dart costs two mix, four products of whole"
    .. " numbers in them and two for the squares. A thread counts in a"
    .. " register and does one atomicAdd, hits or not. Next: add up the warp"
    .. " first, as in warp-sum, or the block, as in sum, and go there once for"
    .. " all. split-the-key has random numbers for whole arrays.",
  mutants = {
    {
      name = "all-alike",
      replace = {"int d = blockIdx.x * blockDim.x + threadIdx.x; d < n; d +="
        .. " stride",
        "int d = 0; d * stride < n; d++"},
      explain = "Every thread throws the same darts, 0, 1, 2 and so on: the"
        .. " thread's number has to be in d.",
    },
    {
      name = "same-in-each-block",
      replace = {"int d = blockIdx.x * blockDim.x + threadIdx.x;",
        "int d = threadIdx.x;"},
      explain = "All blocks begin with the same darts: blockIdx.x is missing in"
        .. " d.",
    },
    {
      name = "one-dart-a-thread",
      replace = {"d < n; d += stride", "d < n; d = n"},
      explain = "Each thread throws one dart, and there are fewer threads than"
        .. " darts.",
    },
    {
      name = "step-of-a-block",
      replace = {"d += stride", "d += blockDim.x"},
      explain = "With the step of one block, the blocks throw the same darts"
        .. " again.",
    },
    {
      name = "one-number-for-both",
      replace = {"mix(seed + 2 * d + 1) >> 17", "mix(seed + 2 * d) >> 17"},
      explain = "x and y are the same number: all darts lie on the diagonal.",
    },
    {
      name = "overlapping-pairs",
      replace = {"mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1)",
        "mix(seed + d) >> 17, y = mix(seed + d + 1)"},
      explain = "Dart d has the numbers d and d + 1, so its y is the x of the"
        .. " next dart: it takes 2 * d and 2 * d + 1.",
    },
    {
      name = "without-an-atomic",
      replace = {"atomicAdd(&hits[0], in)", "hits[0] += in"},
      explain = "All threads add to one cell: that takes atomicAdd.",
    },
    {
      name = "signed",
      replace = {[[
    int x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;]], [[
    int x = mix(seed + 2 * d), y = mix(seed + 2 * d + 1);
    x >>= 17, y >>= 17;]]},
      explain = "All darts hit: x and y are to lie between 0 and 2^15. Shifted"
        .. " as an int, a number keeps its sign, and lies between -2^14 and"
        .. " 2^14.",
    },
    {
      name = "half-the-radius",
      replace = {"< 1 << 30", "< 1 << 28"},
      explain = "The radius is 2^15, and its square 2^30.",
    },
  },
}
