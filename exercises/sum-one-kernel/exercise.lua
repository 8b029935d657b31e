-- SPDX-License-Identifier: Apache-2.0
-- One for each of 64 blocks, and as many more whose old value nobody wants.
local FULL = {"64 blocks of 256"}

return {
  title = "The last block",
  task = "parts[b] = the sum of block b's elements, total[0] = the sum of the"
    .. " parts, added up by the block that finishes last; done ends as 0.",
  needs = {"sum-shuffle"},
  minutes = 25,
  kernel = "sum_one_kernel",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "parts"},
    {"out", "int *", "total"},
    {"inout", "int *", "done"},
    {"value", "int", "n"},
  },
  reference = "sum_one_kernel",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 50000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    local grid = (n + block - 1) // block
    local x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000)
    return {x = x, parts = grid, total = 1, done = rng:ints(1, 0, 0), n = n},
      {grid, block}
  end,
  cases = {
    {name = "64 blocks of 256", n = 16384},
    {name = "one block", n = 200},
    {name = "n=1", n = 1, block = 32},
    {name = "n=1009, a prime", n = 1009, block = 64},
    {name = "more blocks than threads", n = 5000, block = 32},
    {name = "blocks of 96", n = 2000, block = 96},
    {name = "ones", n = 3000, block = 128, ones = true},
    {name = "large", n = 60013, block = 64, hidden = true},
  },
  requires = {"min_threads = 32", "max_chain = 40"},
  goal = {
    {"global_atomics <= 64", cases = FULL},
    {"global_reductions <= 64", cases = FULL}, "unfenced_reads <= 0",
  },
  hints = {
    "Thread 0 of each block writes the part, and then makes a tick:"
      .. " atomicAdd(done, 1) brings back how many ticks there were before.",
    "Who gets gridDim.x - 1 is in the last block. Its other threads have to"
      .. " know: a __shared__ bool and a __syncthreads().",
    "The part has to be seen before the tick: __threadfence() between the two,"
      .. " and one more before the last block reads the parts.",
    "The last block may have fewer threads than there are parts: for (int b ="
      .. " t; b < gridDim.x; b += blockDim.x), and then sum_of_block once"
      .. " more.",
    "In the end thread 0 of the last block writes total[0], and puts done[0]"
      .. " back to 0.",
  },
  editorial = "One launch; each element and each part is loaded once, and each"
    .. " block does one atomicAdd, behind a fence: 64 for 64 blocks. The parts"
    .. " are added in the same order every time, which floats would need; with"
    .. " atomicAdd into total the order changes. Next: let a thread add"
    .. " several elements first, and there are fewer parts. two-phases waits"
    .. " for all blocks instead.",
  mutants = {
    {
      name = "no-fence",
      replace = {"__threadfence();\n    last", "last"},
      explain = "The tick may be seen before the part: a __threadfence()"
        .. " belongs between the two.",
    },
    {
      name = "fence-too-late",
      replace = {[[__threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;]],
        [[last = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();]]},
      explain = "The fence stands behind the tick: by then others may have"
        .. " seen it, and not the part.",
    },
    {
      name = "fence-of-the-block",
      replace = {"__threadfence();\n    last",
        "__threadfence_block();\n    last"},
      explain = "__threadfence_block() is for the threads of the same block."
        .. " The parts are for another one.",
    },
    {
      name = "fence-of-the-writer-alone",
      breaks = "unfenced_reads <= 0",
      replace = {"  if (last) {\n    __threadfence();", "  if (last) {"},
      explain = "The last block has to put a fence between the tick that it saw"
        .. " and the parts: __syncthreads() is not one.",
    },
    {
      name = "one-too-late",
      replace = {"== gridDim.x - 1", "== gridDim.x"},
      explain = "atomicAdd brings back the number before its own tick, so the"
        .. " last one gets gridDim.x - 1: here nobody is the last.",
    },
    {
      name = "the-first",
      replace = {"== gridDim.x - 1", "== 0"},
      explain = "This is the first block to finish. The other parts are not"
        .. " there yet.",
    },
    {
      name = "highest-number",
      replace = {"last = atomicAdd(done, 1) == gridDim.x - 1;",
        "last = blockIdx.x == gridDim.x - 1;"},
      explain = "The block with the highest number need not be the last to"
        .. " finish.",
    },
    {
      name = "left-at-the-top",
      replace = {"done[0] = 0;", ""},
      explain = "done stays at the number of blocks, and the next launch would"
        .. " find no last block.",
    },
    {
      name = "not-told",
      replace = {"\n  __syncthreads();\n  if (last)", "\n  if (last)"},
      explain = "The other threads look at `last` before thread 0 has written"
        .. " it.",
    },
    {
      name = "one-part-a-thread",
      replace = {"b < gridDim.x; b += blockDim.x",
        "b < gridDim.x && b < blockDim.x; b += blockDim.x"},
      explain = "Each thread takes one part at most: with more blocks than"
        .. " threads the rest is left out.",
    },
    {
      name = "by-one-thread",
      breaks = "max_chain = 40",
      replace = {[[
    for (int b = t; b < gridDim.x; b += blockDim.x) sum += parts[b];
    sum = sum_of_block(sum);]],
        [[
    for (int b = 0; t == 0 && b < gridDim.x; b++) sum += parts[b];]]},
      explain = "One thread of the last block adds up all parts, one after the"
        .. " other.",
    },
    {
      name = "alone",
      breaks = "min_threads = 32",
      replace = {"int sum = sum_of_block(i < n ? x[i] : 0);", [[
  int sum = 0;
  for (int k = i; t == 0 && k < i + blockDim.x && k < n; k++) sum += x[k];]]},
      explain = "Thread 0 of each block adds up its elements by itself.",
    },
    {
      name = "a-tick-a-warp",
      breaks = "global_reductions <= 64",
      replace = {[[    last = atomicAdd(done, 1) == gridDim.x - 1;
  }]], [[    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  if (t % 32 == 0) atomicAdd(done, 0);]]},
      explain = "Every warp goes to the list, though one tick a block is"
        .. " enough.",
    },
    {
      name = "every-warp-asks",
      breaks = "global_atomics <= 64",
      replace = {[[    last = atomicAdd(done, 1) == gridDim.x - 1;
  }]], [[    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  if (t % 32 == 0 && atomicAdd(done, 0) < 0) total[0] = 0;]]},
      explain = "Every warp reads the list by an atomic, though thread 0 alone"
        .. " has to know.",
    },
  },
}
