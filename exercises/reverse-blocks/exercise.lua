-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Turn each block around",
  task = "In each block's part of the array, out is in backwards: 0 1 2 3 | 4 5"
    .. " 6 7 becomes 3 2 1 0 | 7 6 5 4 for blocks of 4.",
  needs = {"positions"},
  minutes = 10,
  kernel = "reverse_blocks",
  signature = {
    {"in", "const int *", "in"},
    {"out", "int *", "out"},
  },
  reference = "reverse_blocks",
  tolerance = {ulp = 0, reason = "values are moved, not computed"},
  budget = 20000,
  make = function(case, rng)
    local n = case.grid * case.block
    local x = rng:ints(n, -1000, 1000)
    return {["in"] = x, out = n}, {case.grid, case.block}
  end,
  cases = {
    {name = "2 blocks of 4", grid = 2, block = 4},
    {name = "1 block of 1", grid = 1, block = 1},
    {name = "9 blocks of 33", grid = 9, block = 33},
    {name = "5 blocks of 128", grid = 5, block = 128},
    {name = "64 blocks of 256", grid = 64, block = 256, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Which element is the block's first, and which its last?",
    "The first is blockIdx.x * blockDim.x; the last lies blockDim.x - 1 behind"
      .. " it.",
    "Thread 0 writes to the last, thread 1 one before it: last - threadIdx.x.",
  },
  editorial = "One load and one store an element. Backwards costs nothing: a"
    .. " warp's 32 neighbours are 128 bytes in either order, and the counters"
    .. " show 4 sectors a request for both. Two arrays make it safe; in place"
    .. " a thread might overwrite what another has yet to read. The lesson"
    .. " shared-memory has what is needed to wait for each other.",
  mutants = {
    {
      name = "whole-array",
      replace = {"out[last - threadIdx.x]",
        "out[gridDim.x * blockDim.x - 1 - first - threadIdx.x]"},
      explain = "This turns the whole array around, blocks and all: each block"
        .. " keeps its place.",
    },
    {
      name = "one-past",
      replace = {"first + blockDim.x - 1", "first + blockDim.x"},
      explain = "The block's last element is first + blockDim.x - 1: counted"
        .. " from 0, blockDim.x elements end one earlier.",
    },
    {
      name = "copied",
      replace = {"out[last - threadIdx.x]", "out[first + threadIdx.x]"},
      explain = "This copies: every element stays where it was.",
    },
    {
      name = "first-block",
      replace = {"int first = blockIdx.x * blockDim.x", "int first = 0"},
      explain = "All blocks turn the first block's elements around, and nobody"
        .. " the others': a block begins at blockIdx.x * blockDim.x.",
    },
    {
      name = "blocks-reversed",
      replace = {"out[last - threadIdx.x]",
        "out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x]"},
      explain = "This exchanges the blocks and leaves each as it was; asked is"
        .. " the other way round.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int first = blockIdx.x * blockDim.x;
  int last = first + blockDim.x - 1;
  out[last - threadIdx.x] = in[first + threadIdx.x];]], [[
  if (threadIdx.x > 0) return;
  int first = blockIdx.x * blockDim.x;
  for (int k = 0; k < blockDim.x; k++)
    out[first + blockDim.x - 1 - k] = in[first + k];]]},
      explain = "The first thread of each block does all of its elements, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
