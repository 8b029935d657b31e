-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Even and odd",
  task = "Make the kernel fast: every element is changed as it is now, and the"
    .. " lanes of a warp go the same way, on average 30 of 32 or more.",
  needs = {"reverse-blocks"},
  minutes = 20,
  kernel = "even_odd",
  signature = {
    {"inout", "unsigned *", "a"},
    {"value", "int", "n"},
  },
  reference = "even_odd",
  tolerance = {ulp = 0, reason = "whole numbers, modulo 2^32"},
  budget = 20000,
  make = function(case, rng)
    local grid = (case.n + case.block - 1) // case.block
    local most = case.most or 1000000
    return {a = rng:ints(case.n, 0, most), n = case.n}, {grid, case.block}
  end,
  cases = {
    {name = "n=4096", n = 4096, block = 128},
    {name = "n=2", n = 2, block = 32},
    {name = "n=1", n = 1, block = 32},
    {name = "n=1009, a prime", n = 1009, block = 96},
    {name = "n=100, blocks of 32", n = 100, block = 32},
    {name = "up to 2^32", n = 200, block = 64, most = 2 ^ 32 - 1},
    {name = "large", n = 20011, block = 256, hidden = true},
  },
  requires = {},
  goal = {{"active_lanes >= 30", cases = {"n=4096", "large"}}},
  hints = {
    "A warp is 32 threads that follow each other. Nobody says that thread i"
      .. " has to look after element i.",
    "Let the first half of all threads take the even elements, and the others"
      .. " the odd ones.",
    "There are (n + 1) / 2 even elements: 0 is one of them. Thread i of the"
      .. " first half takes element 2 * i.",
    "int evens = (n + 1) / 2;"
      .. " int at = i < evens ? 2 * i : 2 * (i - evens) + 1;",
  },
  editorial = "Each element is loaded and stored once, and the counters show"
    .. " 31.9 of 32 lanes active on average. The price: a warp takes every"
    .. " second element, so a load touches 8 sectors where 4 would do. For 40"
    .. " rounds of arithmetic that is cheap; with one round it might not be."
    .. " Only the warp in which the evens end has both kinds.",
  mutants = {
    {
      name = "side-by-side",
      breaks = "active_lanes >= 30",
      replace = {"i < evens ? 2 * i : 2 * (i - evens) + 1", "i"},
      explain = "Thread i takes element i: half of each warp waits while the"
        .. " other half works.",
    },
    {
      name = "pairs",
      breaks = "active_lanes >= 30",
      replace = {"i < evens ? 2 * i : 2 * (i - evens) + 1",
        "(i ^ 1) < n ? i ^ 1 : i"},
      explain = "Neighbours have exchanged their elements: the lanes of a warp"
        .. " still go both ways.",
    },
    {
      name = "warp-decides-alone",
      replace = {"at % 2 == 0", "i / 32 % 2 == 0"},
      explain = "The branch follows the warp's number, and the element is no"
        .. " longer asked whether it is even.",
    },
    {
      name = "odd-numbers-of-elements",
      replace = {"(n + 1) / 2", "n / 2"},
      explain = "An odd n has one even element more than odd ones: 0, 2 and 4"
        .. " of five.",
    },
    {
      name = "odd-from-zero",
      replace = {"2 * (i - evens) + 1", "2 * (i - evens)"},
      explain = "The second half of the threads takes even elements again: the"
        .. " odd ones are one further.",
    },
    {
      name = "one-round-less",
      replace = {"k < ROUNDS; k++) v = v * 5",
        "k < ROUNDS - 1; k++) v = v * 5"},
      explain = "This is what you get when the even elements have a round too"
        .. " few.",
    },
  },
}
