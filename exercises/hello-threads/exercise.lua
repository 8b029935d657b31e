-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Say your number",
  task = "Every thread writes its own number into its own cell: out[i] = i.",
  needs = {},
  minutes = 5,
  kernel = "hello",
  signature = {{"out", "int *", "out"}},
  reference = "hello_threads",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case) return {out = case.n}, {1, case.n} end,
  cases = {
    {name = "8 threads", n = 8},
    {name = "1 thread", n = 1},
    {name = "100 threads", n = 100},
    {name = "a full block", n = 1024, hidden = true},
  },
  requires = {},
  goal = {{"active_lanes >= 8", cases = {"100 threads"}}},
  hints = {
    "The kernel says what one thread does. You need no loop.",
    "threadIdx.x is the number of the thread that runs the line.",
    "Use the number twice: as the place, and as the value.",
  },
  editorial = "One store of 4 bytes a thread, and no load: threadIdx.x is in a"
    .. " register that the thread has from its start. No loop and no test,"
    .. " since there are exactly as many threads as cells. A block ends at"
    .. " 1024 threads; positions numbers them through all blocks of a grid.",
  mutants = {
    {
      name = "from-one",
      replace = {"= threadIdx.x", "= threadIdx.x + 1"},
      explain = "This is what you get when threads are counted from 1: the"
        .. " first one's number is 0.",
    },
    {
      name = "first-cell",
      replace = {"out[threadIdx.x]", "out[0]"},
      explain = "All threads write into cell 0, and the other cells stay as"
        .. " they were: each thread has a cell of its own, out[threadIdx.x].",
    },
    {
      name = "one-thread",
      replace = {"out[threadIdx.x] =", "if (threadIdx.x == 0) out[0] ="},
      explain = "Only thread 0 writes: let every thread do it.",
    },
    {
      name = "all-the-same",
      replace = {"= threadIdx.x", "= blockDim.x"},
      explain = "blockDim.x is how many threads there are, the same for all of"
        .. " them; a thread's own number is threadIdx.x.",
    },
    {
      name = "next-cell",
      replace = {"out[threadIdx.x]", "out[threadIdx.x + 1]"},
      explain = "Each thread writes into its neighbour's cell, and the last one"
        .. " past the end: cells are counted from 0, as threads are.",
    },
    {
      name = "one-for-all",
      breaks = "active_lanes >= 8",
      replace = {"  out[threadIdx.x] = threadIdx.x;", [[
  if (threadIdx.x > 0) return;
  for (int i = 0; i < blockDim.x; i++) out[i] = i;]]},
      explain = "The first thread writes all the cells, one after the other,"
        .. " and the others have nothing to do.",
    },
  },
}
