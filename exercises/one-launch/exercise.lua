-- SPDX-License-Identifier: Apache-2.0
-- 256 numbers are 8 warps: 8 requests in, 8 out, whatever the number of steps.
local FULL = {"256 numbers, 40 steps"}

return {
  title = "One launch",
  task = "Make the kernel fast: all steps happen in one launch, with the"
    .. " numbers in the block from the first step to the last.",
  needs = {"block-sum"},
  minutes = 15,
  kernel = "steps",
  signature = {
    {"inout", "int *", "x"},
    {"value", "int", "n"},
    {"value", "int", "count"},
  },
  reference = "one_launch",
  tolerance = {ulp = 0, reason = "whole numbers below 6000"},
  make = function(case, rng)
    return {x = rng:ints(case.n, 0, 999), n = case.n, count = case.count},
      {1, 256}
  end,
  cases = {
    {name = "256 numbers, 40 steps", n = 256, count = 40},
    {name = "one step", n = 100, count = 1},
    {name = "two steps", n = 33, count = 2},
    {name = "no step", n = 200, count = 0},
    {name = "one number", n = 1, count = 5},
    {name = "odd", n = 255, count = 7},
    {name = "many steps", n = 251, count = 101, hidden = true},
  },
  goal = {
    {"global_load_requests <= 8", cases = FULL},
    {"global_store_requests <= 8", cases = FULL},
  },
  hints = {
    "Which memory lives as long as the block, and can be read by all its"
      .. " threads?",
    "A thread reads its neighbour's number of the step before: nobody may have"
      .. " overwritten it yet.",
    "Two arrays in shared memory that take turns: step k reads ring[k % 2] and"
      .. " writes the other one.",
    "One barrier at the beginning of each step: all have written, and all have"
      .. " read what is written next.",
  },
  editorial = "Eight requests in and eight out for 256 numbers, however many"
    .. " steps there are; 2048 bytes of shared memory, no bank conflict, one"
    .. " barrier a step. A single ring would need two barriers. One block"
    .. " keeps one multiprocessor busy: a ring of many blocks needs"
    .. " grid.sync(), from lesson 24-who-goes-first, or a graph as in"
    .. " record-it.",
  mutants = {
    {
      name = "no-barrier",
      replace = {"    __syncthreads();\n", ""},
      explain = "A warp may be a step ahead of its neighbour. A barrier has to"
        .. " stand between two steps.",
    },
    {
      name = "barrier-once",
      replace = {"  for (int k = 0; k < count; k++) {\n    __syncthreads();\n",
        "  __syncthreads();\n  for (int k = 0; k < count; k++) {\n"},
      explain = "The barrier stands before the first step alone; each step"
        .. " needs one.",
    },
    {
      name = "one-ring",
      replace = {"ring[(k + 1) % 2][i] =", "ring[k % 2][i] ="},
      explain = "The step writes what it reads: some see their neighbour's new"
        .. " number.",
    },
    {
      name = "the-other-ring",
      replace = {"x[i] = ring[count % 2][i]",
        "x[i] = ring[(count + 1) % 2][i]"},
      explain = "That ring has the numbers of one step before the last.",
    },
    {
      name = "no-ring",
      replace = {"from[(i + 1) % n]", "from[i + 1]"},
      explain = "The right neighbour of the last number is the first one.",
    },
    {
      name = "one-step-less",
      replace = {"k < count", "k + 1 < count"},
      explain = "From 0 to count - 1 there are count steps; this does one"
        .. " less.",
    },
    {
      name = "writes-each-step",
      replace = {"if (i < n) ring[(k + 1) % 2][i] =",
        "if (i < n) x[i] = ring[(k + 1) % 2][i] ="},
      breaks = "global_store_requests <= 8",
      explain = "Every step is written to global memory, and only the last one"
        .. " is asked for.",
    },
    {
      name = "through-memory",
      replace = {"if (i < n) ring[(k + 1) % 2][i] = (5 * from[i]",
        "if (i < n) x[i] = ring[(k + 1) % 2][i] = (5 * x[i]"},
      breaks = "global_load_requests <= 8",
      explain = "Each thread's own number goes out to global memory and comes"
        .. " back in every step.",
    },
  },
}
