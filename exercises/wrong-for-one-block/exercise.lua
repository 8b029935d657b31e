-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Wrong for one block",
  task = "Mend the kernel: place[i] = how many elements of i's own block are"
    .. " smaller than x[i].",
  needs = {"reverse-blocks"},
  minutes = 15,
  kernel = "places",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "place"},
    {"value", "int", "n"},
  },
  reference = "wrong_for_one_block",
  tolerance = {ulp = 0, reason = "whole numbers are counted"},
  budget = 20000,
  make = function(case, rng)
    local x = rng:ints(case.n, 0, case.most or 1000)
    if case.falling then
      for k = 0, case.n - 1 do x[k] = case.n - k end
    end
    local grid = (case.n + case.block - 1) // case.block
    return {x = x, place = case.n, n = case.n}, {grid, case.block}
  end,
  cases = {
    {name = "300 elements in blocks of 64", n = 300, block = 64},
    {name = "whole blocks", n = 256, block = 64},
    {name = "falling numbers", n = 101, block = 32, falling = true},
    {name = "n=1", n = 1, block = 32},
    {name = "one short of two blocks", n = 127, block = 64},
    {name = "many alike", n = 1009, block = 96, most = 3},
    {name = "large", n = 5003, block = 128, hidden = true},
  },
  requires = {},
  hints = {
    "In which block is the first wrong element? :check names it: divide its"
      .. " number by the size of a block.",
    "Stop in that block: break LINE block 4, then print first and end. How many"
      .. " elements has the block?",
    "end is the first index that no longer counts. For the last block that is"
      .. " n, not n - 1.",
    "if (end > n) end = n;",
  },
  editorial = "A thread looks at each element of its block: 64 loads and"
    .. " comparisons each in blocks of 64, 4096 in a block. In a round all"
    .. " lanes want the same x[k], which is one sector. The lesson"
    .. " shared-memory lets the block fetch its elements once; bitonic really"
    .. " sorts them, in far fewer comparisons.",
  mutants = {
    {
      name = "still-one-short",
      replace = {"end = n;", "end = n - 1;"},
      explain = "This is what you get when the last block ends at n - 1: the"
        .. " loop runs while k < end, and so never sees the last element.",
    },
    {
      name = "no-end",
      replace = {"if (end > n) end = n;", ""},
      explain = "The last block counts elements behind the end of the array.",
    },
    {
      name = "everything-counts",
      replace = {"if (end > n) end = n;", "end = n;"},
      explain = "This is what you get when every block counts to the array's"
        .. " end: only the block's own elements are asked for.",
    },
    {
      name = "equal-ones-too",
      replace = {"x[k] < x[i]", "x[k] <= x[i]"},
      explain = "This is what you get when equal elements count, and with them"
        .. " the element itself.",
    },
    {
      name = "larger-ones",
      replace = {"x[k] < x[i]", "x[k] > x[i]"},
      explain = "This is what you get when the larger elements are counted.",
    },
    {
      name = "64-written-out",
      replace = {"first + blockDim.x", "first + 64"},
      explain = "This is what you get when the size of a block is written as"
        .. " 64: it is blockDim.x.",
    },
  },
}
