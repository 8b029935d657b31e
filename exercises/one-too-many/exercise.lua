-- SPDX-License-Identifier: Apache-2.0
return {
  title = "One too many",
  task = "Mend the kernel: out[i] = factor * x[i] for every i below n, with"
    .. " blocks of any size.",
  needs = {"vector-add"},
  minutes = 10,
  kernel = "scale",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "float", "factor"},
    {"value", "int", "n"},
  },
  reference = "one_too_many",
  tolerance = {
    ulp = 0,
    reason = "the factor is a power of two: nothing is rounded",
  },
  budget = 20000,
  make = function(case, rng)
    local grid = (case.n + case.block - 1) // case.block
    return {
      x = rng:floats(case.n, -8, 8), out = case.n,
      factor = case.factor or 0.5, n = case.n,
    }, {grid, case.block}
  end,
  cases = {
    {name = "n=4096 in blocks of 128", n = 4096, block = 128},
    {name = "n=100 in blocks of 128", n = 100, block = 128},
    {name = "n=4096 in blocks of 256", n = 4096, block = 256, factor = 4},
    {name = "n=1", n = 1, block = 32},
    {name = "n=1009, a prime", n = 1009, block = 64, factor = -2},
    {name = "large", n = 100003, block = 512, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Run :check and read which element the message names: how many elements"
      .. " has the array?",
    "The index n is one past the end: an array of n elements ends at n - 1.",
    "128 is right for blocks of 128 threads. How many a block has, blockDim.x"
      .. " says.",
  },
  editorial = "The guard costs one comparison a thread; besides, an element"
    .. " takes one load, one product and one store. In the last block fewer"
    .. " threads than a block has are idle, so what is wasted does not grow"
    .. " with n. With n = 100 in a block of 128 it is 28 of them. saxpy goes"
    .. " further: there the grid may have any size.",
  mutants = {
    {
      name = "still-one-too-many",
      replace = {"i < n", "i <= n"},
      explain = "The guard still lets i = n pass, one past the end.",
    },
    {
      name = "still-128",
      replace = {"* blockDim.x", "* 128"},
      explain = "The block's size is still written as 128: with blocks of 256"
        .. " two blocks share cells, with blocks of 64 every second 64 cells"
        .. " are left out.",
    },
    {
      name = "one-too-few",
      replace = {"i < n", "i < n - 1"},
      explain = "Now the guard stops one element too early: the last index is"
        .. " n - 1.",
    },
    {
      name = "no-guard",
      replace = {"if (i < n) ", ""},
      explain = "The guard is needed: the last block has more threads than"
        .. " there are elements left.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"if (i < n) out[i] = factor * x[i];", [[
  if (threadIdx.x == 0)
    for (int k = i; k < i + blockDim.x && k < n; k++)
      out[k] = factor * x[k];]]},
      explain = "The first thread of each block does all of its"
        .. " elements; the others have nothing to do.",
    },
  },
}
