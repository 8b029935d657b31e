-- SPDX-License-Identifier: Apache-2.0
-- Each number stands twice in the sorted array: 0 0 3 3 6 6 and so on.
local function make(case, rng)
  local n, keys = case.n, case.keys
  local sorted = rng:ints(n, 0, 0)
  for k = 0, n - 1 do sorted[k] = k // 2 * 3 end
  local wanted = rng:ints(keys, -3, n * 3 // 2 + 3)
  if case.all_below then wanted = rng:ints(keys, -9, 0) end
  local grid = (keys + case.block - 1) // case.block
  return {sorted = sorted, wanted = wanted, out = keys, n = n, keys = keys},
    {grid, case.block}
end

return {
  title = "Never ends",
  task = "Mend the kernel: out[i] = how many elements of the sorted array are"
    .. " below wanted[i], found by halving.",
  needs = {"one-too-many"},
  minutes = 15,
  kernel = "count_below",
  signature = {
    {"in", "const int *", "sorted"},
    {"in", "const int *", "wanted"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
    {"value", "int", "keys"},
  },
  reference = "never_ends",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 5000,
  make = make,
  cases = {
    {name = "100 elements", n = 100, keys = 64, block = 32},
    {name = "one element", n = 1, keys = 5, block = 32},
    {name = "all above", n = 37, keys = 40, block = 64, all_below = true},
    {name = "a prime", n = 101, keys = 331, block = 96},
    {name = "large", n = 50000, keys = 3001, block = 128, hidden = true},
  },
  requires = {},
  hints = {
    "Step through one thread with :debug: what are low and high when nothing"
      .. " changes any more?",
    "With low = 4 and high = 5 the middle is 4. What does low become?",
    "sorted[middle] is below what is wanted, so the answer is middle + 1 or"
      .. " more.",
    "if (sorted[middle] < wanted[i]) low = middle + 1; else high = middle;",
  },
  editorial = "Each round halves what is left, so at most log2(n) + 1 rounds,"
    .. " rounded down: 7 for 100 elements, 16 for 50000, where looking at one"
    .. " after the other takes up to n. All threads begin in the same middle,"
    .. " then read ever further apart. merge asks the same question of two"
    .. " lists.",
  mutants = {
    {
      name = "still-for-ever",
      replace = {"low = middle + 1", "low = middle"},
      explain = "With low = 4 and high = 5 the middle is 4, and low stays 4 for"
        .. " ever: the element in the middle is below, so go on behind it.",
    },
    {
      name = "for-ever-on-the-right",
      replace = {"low < high", "low <= high"},
      explain = "With low = high the middle is there, too, and high stays where"
        .. " it is: there is nothing between them any more, stop.",
    },
    {
      name = "stops-too-soon",
      replace = {"low < high", "low < high - 1"},
      explain = "This is what you get when the loop ends with one element left"
        .. " that nobody has looked at.",
    },
    {
      name = "the-equal-ones-too",
      replace = {"sorted[middle] < wanted[i]", "sorted[middle] <= wanted[i]"},
      explain = "This is what you get when elements that are equal count as"
        .. " below.",
    },
    {
      name = "last-not-looked-at",
      replace = {"high = n;", "high = n - 1;"},
      explain = "This is what you get when the search begins with high = n - 1:"
        .. " all n elements may be below.",
    },
    {
      name = "high-too-low",
      replace = {"high = middle;", "high = middle - 1;"},
      explain = "This is what you get when high goes in front of the middle:"
        .. " the answer may be middle itself.",
    },
    {
      name = "three-rounds",
      replace = {"while (low < high) {",
        "for (int k = 0; k < 3; k++) {"},
      explain = "This is what you get when the loop ends after a fixed number"
        .. " of rounds: large arrays need more of them.",
    },
    {
      name = "one-by-one",
      replace = {"while (low < high) {", [[
while (low < n && sorted[low] < wanted[i]) low++;
  high = low;
  while (low < high) {]]},
      explain = "This ends, but looks at every element, and the array is long:"
        .. " halve what is left.",
    },
  },
}
