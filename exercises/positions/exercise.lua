-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Where am I?",
  task = "thread[i], block[i] and number[i]: the thread's number in its block,"
    .. " its block's number, and its running number i in the whole grid.",
  needs = {"first-kernel"},
  minutes = 10,
  kernel = "positions",
  signature = {
    {"out", "int *", "thread"},
    {"out", "int *", "block"},
    {"out", "int *", "number"},
  },
  reference = "positions",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case)
    local n = case.grid * case.block
    return {thread = n, block = n, number = n}, {case.grid, case.block}
  end,
  cases = {
    {name = "3 blocks of 4", grid = 3, block = 4},
    {name = "1 block of 32", grid = 1, block = 32},
    {name = "7 blocks of 1", grid = 7, block = 1},
    {name = "5 blocks of 100", grid = 5, block = 100},
    {name = "40 blocks of 256", grid = 40, block = 256, hidden = true},
  },
  requires = {},
  goal = {{"active_lanes >= 8", cases = {"5 blocks of 100"}}},
  hints = {
    "threadIdx.x begins again at 0 in every block.",
    "Before block 2 there are two whole blocks, of blockDim.x threads each.",
    "int i = blockIdx.x * blockDim.x + threadIdx.x;",
  },
  editorial = "Three stores a thread, 12 bytes, and no load; the running"
    .. " number costs one product and one sum. Lanes side by side write cells"
    .. " side by side, so a full warp's store touches 4 sectors of 32 bytes,"
    .. " the least that 128 bytes can. This line begins nearly every kernel"
    .. " from here on; next is vector-add, where the grid is larger than the"
    .. " array.",
  mutants = {
    {
      name = "own-number-only",
      replace = {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"},
      explain = "All blocks write into the first block's cells: threadIdx.x"
        .. " begins again at 0 in every block.",
    },
    {
      name = "grid-for-block",
      replace = {"* blockDim.x", "* gridDim.x"},
      explain = "This is what you get when the block's number is multiplied by"
        .. " gridDim.x, the number of blocks: before mine lie blockIdx.x blocks"
        .. " of blockDim.x threads.",
    },
    {
      name = "swapped",
      replace = {
        "thread[i] = threadIdx.x;\n  block[i] = blockIdx.x",
        "thread[i] = blockIdx.x;\n  block[i] = threadIdx.x",
      },
      explain = "This is what you get when thread and block are exchanged.",
    },
    {
      name = "interleaved",
      replace = {
        "blockIdx.x * blockDim.x + threadIdx.x",
        "threadIdx.x * gridDim.x + blockIdx.x",
      },
      explain = "This numbers the threads across the blocks: first thread 0 of"
        .. " each block, then thread 1. The running number goes through a"
        .. " block before it comes to the next.",
    },
    {
      name = "size-for-number",
      replace = {"block[i] = blockIdx.x", "block[i] = blockDim.x"},
      explain = "This is what you get when blockDim.x, the threads of a block,"
        .. " is written for blockIdx.x, the block's number.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  thread[i] = threadIdx.x;
  block[i] = blockIdx.x;
  number[i] = i;]], [[
  if (threadIdx.x > 0) return;
  for (int t = 0; t < blockDim.x; t++) {
    int i = blockIdx.x * blockDim.x + t;
    thread[i] = t;
    block[i] = blockIdx.x;
    number[i] = i;
  }]]},
      explain = "The first thread of each block writes for all of its threads,"
        .. " and they have nothing to do.",
    },
  },
}
