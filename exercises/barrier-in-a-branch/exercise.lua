-- SPDX-License-Identifier: Apache-2.0
local BLOCK = 128

return {
  title = "A barrier in a branch",
  task = "Mend the kernel: gaps[b] is the largest difference between neighbours"
    .. " in block b's 128 elements (0 where there are none).",
  needs = {"block-sum"},
  minutes = 15,
  kernel = "spread",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "gaps"},
    {"value", "int", "n"},
  },
  reference = "barrier_in_a_branch",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    local grid = (case.n + BLOCK - 1) // BLOCK
    local x = rng:ints(case.n, -1000, 1000)
    if case.between then x[BLOCK - 1], x[BLOCK] = -9000, 9000 end
    return {x = x, gaps = grid, n = case.n}, {grid, BLOCK}
  end,
  cases = {
    {name = "one full block", n = 128},
    {name = "n=200", n = 200},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "the largest gap is between two blocks", n = 300, between = true},
    {name = "n=129", n = 129, hidden = true},
    {name = "large", n = 20011, hidden = true},
  },
  requires = {"shared", "barrier"},
  hints = {
    "Every thread of the block must come to every __syncthreads(). Which do not"
      .. " come to the one in the loop?",
    "Threads without a gap need not leave: let theirs be 0, which changes no"
      .. " largest one.",
    "First every thread writes its cell, 0 or a gap; then the loop, outside of"
      .. " any if.",
    "After the last round, too, a barrier has to come before thread 0 reads"
      .. " the result.",
  },
  editorial = "Two loads from x for each gap, 512 bytes of desk, and 8"
    .. " barriers a block: one before the rounds and one in each of 7. All"
    .. " threads come to all of them, so a thread without a gap costs no more"
    .. " than one with a gap. A tree does for the largest as for a sum, and so"
    .. " do the ways of last-warp and mask, which save barriers or the desk.",
  mutants = {
    {
      name = "empty-cells",
      replace = {"desk[t] = gap;", "if (gap > 0) desk[t] = gap;"},
      explain = "Cells of threads without a gap are never written, and the"
        .. " rounds read them: write 0.",
    },
    {
      name = "no-first-barrier",
      replace = {"desk[t] = gap;\n  __syncthreads();", "desk[t] = gap;"},
      explain = "The rounds begin before every thread has written its cell.",
    },
    {
      name = "no-barrier-in-loop",
      replace = {"desk[t + half]);\n    __syncthreads();", "desk[t + half]);"},
      explain = "Each round reads what others wrote in the round before: a"
        .. " barrier belongs between the rounds.",
    },
    {
      name = "stops-early",
      replace = {"half > 0", "half > 1"},
      explain = "The last round, with half 1, is left out: cell 1 is never"
        .. " compared with cell 0.",
    },
    {
      name = "over-the-border",
      replace = {"i + 1 < n && t + 1 < blockDim.x", "i + 1 < n"},
      explain = "The block's last element is compared with the next block's"
        .. " first; the task asks for neighbours within the block.",
    },
    {
      name = "signed",
      replace = {"abs(x[i + 1] - x[i])", "x[i + 1] - x[i]"},
      explain = "Where the numbers fall, the difference is negative, and no"
        .. " largest gap: take its size.",
    },
    {
      name = "one-thread",
      breaks = "shared",
      replace = {"if (t == 0) gaps[blockIdx.x] = desk[0];", [[
  if (t == 0) {
    int largest = 0;
    for (int k = i; k + 1 < n && k + 1 < i + blockDim.x; k++)
      largest = max(largest, abs(x[k + 1] - x[k]));
    gaps[blockIdx.x] = largest;
  }]]},
      explain = "Thread 0 finds the largest gap alone; what the others put on"
        .. " the desk is not used.",
    },
    {
      name = "one-warp",
      breaks = "barrier",
      replace = {"if (t == 0) gaps[blockIdx.x] = desk[0];", [[
  __shared__ int own[32];
  if (t < 32) {
    own[t] = gap;
    __syncwarp();
    if (t == 0) {
      int largest = 0;
      for (int k = 0; k < 32; k++) largest = max(largest, own[k]);
      for (int k = i + 32; k + 1 < n && k + 1 < i + blockDim.x; k++)
        largest = max(largest, abs(x[k + 1] - x[k]));
      gaps[blockIdx.x] = largest;
    }
  }]]},
      explain = "Only the first warp shares its cells, and one thread does the"
        .. " rest: no value of the result passes a __syncthreads().",
    },
  },
}
