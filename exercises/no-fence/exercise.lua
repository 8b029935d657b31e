-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The bell before the parcel",
  task = "Mend the kernel: tops[b] = the largest of block b's elements, top[0]"
    .. " = the largest of all, found by the block that finishes last.",
  needs = {"warp-sum"},
  minutes = 10,
  kernel = "top_of_all",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "tops"},
    {"out", "int *", "top"},
    {"inout", "int *", "done"},
  },
  reference = "no_fence",
  tolerance = {ulp = 0, reason = "values are compared and moved, not computed"},
  budget = 50000,
  make = function(case, rng)
    local n = case.blocks * 32
    local x = rng:ints(n, case.low or -1000, case.high or 1000)
    if case.first then x[0] = 5000 end
    if case.last then x[n - 1] = 5000 end
    return {x = x, tops = case.blocks, top = 1, done = rng:ints(1, 0, 0)},
      {case.blocks, 32}
  end,
  cases = {
    {name = "16 blocks", blocks = 16},
    {name = "one block", blocks = 1},
    {name = "97 blocks", blocks = 97},
    {name = "all negative", blocks = 20, low = -900, high = -100},
    {name = "the largest comes first", blocks = 33, first = true},
    {name = "the largest comes last", blocks = 33, last = true},
    {name = "large", blocks = 500, hidden = true},
  },
  requires = {"atomics"},
  goal = {"unfenced_reads <= 0"},
  hints = {
    "What is the parcel, and what is the bell? tops[b] and done. Which of the"
      .. " two may be seen first?",
    "A __threadfence() between a write and what tells others of it.",
    "One fence between tops[blockIdx.x] = largest and the atomicAdd, by the"
      .. " thread that wrote; and one behind the atomicAdd, before the last"
      .. " block reads.",
  },
  editorial = "Each block of 32 does five shuffles, one fence and one"
    .. " atomicAdd; the last one does one fence more. There one lane alone"
    .. " walks through all tops, a step for each block. Next: let all 32 lanes"
    .. " share that walk, as all threads of the last block do in"
    .. " sum-one-kernel; the tree would have to be done once more then.",
  mutants = {
    {
      name = "fence-too-late",
      replace = {"__threadfence();\n  if (atomicAdd", "if (atomicAdd"},
      explain = "The fence of the reader alone is not enough: the writer has"
        .. " to put one between the part and the tick.",
    },
    {
      name = "fence-of-the-writer-alone",
      breaks = "unfenced_reads <= 0",
      replace = {"    __threadfence();\n    for", "    for"},
      explain = "He who hears the bell needs a fence as well, between the tick"
        .. " and what it tells of: without it he may read what was there"
        .. " before.",
    },
    {
      name = "fence-of-the-block",
      replace = {"__threadfence();\n  if (atomicAdd",
        "__threadfence_block();\n  if (atomicAdd"},
      explain = "__threadfence_block() orders for the threads of the same"
        .. " block only.",
    },
    {
      name = "barrier-instead",
      replace = {"__threadfence();\n  if (atomicAdd",
        "__syncthreads();\n  if (atomicAdd"},
      explain = "__syncthreads() is for one block, and tells other blocks"
        .. " nothing.",
    },
    {
      name = "fence-first",
      replace = {"tops[blockIdx.x] = largest;\n  __threadfence();",
        "__threadfence();\n  tops[blockIdx.x] = largest;"},
      explain = "The fence stands before the write that it should publish.",
    },
    {
      name = "one-too-late",
      replace = {"== gridDim.x - 1", "== gridDim.x"},
      explain = "atomicAdd brings back the number before its own tick, so the"
        .. " last block gets gridDim.x - 1: here nobody is the last.",
    },
    {
      name = "everybody",
      replace = {"if (atomicAdd(done, 1) == gridDim.x - 1)",
        "if (atomicAdd(done, 1) >= 0)"},
      explain = "Every block looks at all parts, and writes top[0], whether"
        .. " the others are done or not.",
    },
    {
      name = "starts-at-one",
      replace = {"int b = 0;", "int b = 1;"},
      explain = "Block 0's part is left out.",
    },
    {
      name = "own-only",
      replace = {"max(largest, tops[b])", "max(largest, tops[blockIdx.x])"},
      explain = "The last block looks at its own part again and again: the"
        .. " others are tops[b].",
    },
    {
      name = "by-number",
      breaks = "atomics",
      replace = {[[tops[blockIdx.x] = largest;
  __threadfence();
  if (atomicAdd(done, 1) == gridDim.x - 1) {
    __threadfence();
    for (int b = 0; b < gridDim.x; b++) largest = max(largest, tops[b]);
    top[0] = largest;]], [[tops[blockIdx.x] = largest;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 32 * gridDim.x; i++) largest = max(largest, x[i]);
    top[0] = largest;
    done[0] = gridDim.x;]]},
      explain = "Block 0 reads the whole array by itself, without waiting for"
        .. " anybody: right, and slow.",
    },
  },
}
