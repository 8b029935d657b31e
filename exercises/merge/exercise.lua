-- SPDX-License-Identifier: Apache-2.0
-- 64 warps. Looking at all numbers of the other list takes each of them about
-- 1024 loads, halving it 11 at most; the own number is one more, or two.
local WHOLE = {"1000 and 1048 numbers"}

local function ascending(count, most, rng)
  local drawn, list = rng:ints(count, -most, most), {}
  for i = 0, count - 1 do list[i + 1] = drawn[i] end
  table.sort(list)
  for i = 0, count - 1 do drawn[i] = list[i + 1] end
  return drawn
end

return {
  title = "Two queues become one",
  task = "Make the kernel fast: two sorted lists merged, where each number"
    .. " finds its place by looking at a few numbers of the other list.",
  needs = {"bitonic"},
  minutes = 20,
  kernel = "merge",
  signature = {
    {"in", "const int *", "x"},
    {"in", "const int *", "y"},
    {"out", "int *", "out"},
    {"out", "int *", "from"},
    {"value", "int", "m"},
    {"value", "int", "n"},
  },
  reference = "merge",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    local m, n, block = case.m, case.n, case.block or 256
    local x, y = ascending(m, case.most, rng), ascending(n, case.most, rng)
    for j = 0, case.above and n - 1 or -1 do y[j] = y[j] + case.above end
    return {x = x, y = y, out = m + n, from = m + n, m = m, n = n},
      {blocks_for(m + n, block), block}
  end,
  cases = {
    {name = "1000 and 1048 numbers", m = 1000, n = 1048, most = 100000},
    {name = "one and one", m = 1, n = 1, most = 5},
    {name = "many equal", m = 300, n = 200, most = 4},
    {name = "all equal", m = 64, n = 65, most = 0},
    {name = "one and many", m = 1, n = 100, most = 50, block = 32},
    {name = "many and one", m = 129, n = 1, most = 50, block = 64},
    {name = "all of y above x", m = 37, n = 50, most = 10, above = 100},
    {name = "all of y below x", m = 37, n = 50, most = 10, above = -100},
    {name = "large", m = 2003, n = 3001, most = 700, block = 96, hidden = true},
  },
  goal = {{"global_load_requests <= 1500", cases = WHOLE}},
  hints = {
    "How do you look up a name in a telephone book? Not from its first page.",
    "Keep two places: all numbers in front of low go before value, and none"
      .. " from high on. In the beginning that is 0 and n.",
    "Look at the middle of the two. If that number goes before value, low is"
      .. " one behind it, else high is where it stands.",
    "When low and high have met, low is the count.",
  },
  editorial = "Each number looks at about log2(n) numbers of the other list,"
    .. " at most 11 among 1048, and is stored once in out and once in from."
    .. " The looks are at scattered places and depend on each other. Next: a"
    .. " block finds out by two searches which piece of each list belongs to"
    .. " its piece of out, fetches both side by side, and searches in shared"
    .. " memory.",
  mutants = {
    {
      name = "all-looked-at",
      breaks = "global_load_requests <= 1500",
      replace = {"int middle = (low + high) / 2;", "int middle = low;"},
      explain = "The first number is looked at in place of the middle one: that"
        .. " goes through the list from its beginning.",
    },
    {
      name = "equal-after",
      replace = {"equal_too ? x[middle] <= value : x[middle] < value",
        "x[middle] < value"},
      explain = "Equal numbers of x and y want the same place: one of them is"
        .. " lost, and another place is never written.",
    },
    {
      name = "equal-before",
      replace = {"equal_too ? x[middle] <= value : x[middle] < value",
        "x[middle] <= value"},
      explain = "Equal numbers of x and y both let the other go first: a place"
        .. " between them stays empty, and another one is written twice.",
    },
    {
      name = "y-first",
      replace = {"equal_too ? x[middle] <= value : x[middle] < value",
        "equal_too ? x[middle] < value : x[middle] <= value"},
      explain = "Among equal numbers those of y come first here; those of x"
        .. " should.",
    },
    {
      name = "middle-kept",
      replace = {"low = middle + 1", "low = middle"},
      explain = "The middle is looked at again and again: where low and high"
        .. " are neighbours, nothing changes any more, and the loop never"
        .. " ends.",
    },
    {
      name = "middle-lost",
      replace = {"high = middle;", "high = middle - 1;"},
      explain = "The number in front of the middle is left out unasked. Where"
        .. " it goes before value, the count is too low.",
    },
    {
      name = "last-never-seen",
      replace = {"high = n;", "high = n - 1;"},
      explain = "The last number of the other list is never asked.",
    },
    {
      name = "one-more",
      replace = {"return low;", "return low + 1;"},
      explain = "low numbers go before value, at the places 0 to low - 1: one"
        .. " more is one too many.",
    },
  },
}
