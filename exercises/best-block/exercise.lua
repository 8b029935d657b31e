-- SPDX-License-Identifier: Apache-2.0
local function medians(args)
  local sizes = #args.sizes
  local runs = #args.times // sizes
  local found = {}
  for r = 0, sizes - 1 do
    local row = {}
    for k = 1, runs - 1 do row[k] = args.times[r * runs + k] end
    table.sort(row)
    local low, high = row[(#row + 1) // 2], row[#row // 2 + 1]
    found[r] = (low + high) / 2
  end
  return found
end

return {
  kind = "lua",
  title = "The best block, from noisy times",
  task = "best_block(sizes, times): the size with the least median, without the"
    .. " first runs, and how many sizes are as good to 1 microsecond.",
  minutes = 10,
  entry = "best_block",
  signature = {
    {"in", "i32[]", "sizes"},
    {"in", "f64[]", "times"},
    {"out", "i32", "size"},
    {"out", "i32", "near"},
  },
  reference = function(args)
    local median, best, near = medians(args), 0, 0
    for r = 1, #args.sizes - 1 do
      if median[r] < median[best] then best = r end
    end
    for r = 0, #args.sizes - 1 do
      if median[r] <= median[best] + 1 then near = near + 1 end
    end
    args.size[0], args.near[0] = args.sizes[best], near
  end,
  tolerance = {ulp = 0, reason = "whole numbers; times are multiples of 1/4,"
    .. " and the median halves their sum at most"},
  make = function(case, rng)
    local n, runs = #case.middle, case.runs
    local sizes, times = rng:full(n, 0), rng:steps(n * runs, 0, 2, 1 / 4)
    local late = rng:ints(n * runs, 0, 5)
    for r = 0, n - 1 do
      sizes[r] = (case.first or 32) << r
      for k = 0, runs - 1 do
        local at = r * runs + k
        local more = late[at] == 0 and 60 or late[at] == 1 and -15 or 0
        if k == 0 then more = 300 - 40 * r end
        times[at] = (case.even and 0 or times[at]) + case.middle[r + 1] + more
      end
    end
    return {sizes = sizes, times = times}, {times = {n, runs}}
  end,
  cases = {
    {name = "six sizes, seven runs", runs = 7,
      middle = {229, 142, 120, 118, 121, 139}},
    {name = "one size", runs = 4, middle = {50}},
    {name = "two runs each", runs = 2, middle = {90, 88, 95}},
    {name = "the first is best", runs = 9, middle = {70, 80, 90, 71}},
    {name = "the last is best", runs = 8, first = 64,
      middle = {70, 60, 50, 40}},
    {name = "two are equal", runs = 12, middle = {200, 100, 100, 101, 102},
      even = true},
    {name = "hidden", runs = 11, middle = {300, 180, 91, 91, 90, 140},
      hidden = true},
    {name = "many runs", runs = 50, first = 128, middle = {44, 43, 44, 47},
      even = true, hidden = true},
  },
  hints = {
    "times[\":, 1:\"] is all rows, without their first column.",
    "np.median(a, 1) is the median of each row, and np.argmin says at which"
      .. " place the least of them is. Places count from 0.",
    "The place is not the size: sizes has that.",
    "np.less_equal(median, limit) says yes or no for each, and np.count_nonzero"
      .. " counts the yes.",
  },
  editorial = "Four calls over whole arrays, median, argmin, less_equal and"
    .. " count_nonzero, and no loop over sizes or runs. The median needs no"
    .. " rule for outliers: one slow run cannot move it far. What it cannot"
    .. " see is a machine that changes while one size after the other is"
    .. " measured; the lesson measuring-honestly lets two kernels take turns.",
  mutants = {
    {
      name = "first-run-too",
      replace = {'times[":, 1:"]', "times"},
      explain = "The first run of each size is counted, too: the compiler's"
        .. " work is in it.",
    },
    {
      name = "mean",
      replace = {"np.median(", "np.mean("},
      explain = "A mean gives one late run as much weight as all others"
        .. " together: the median is asked for.",
    },
    {
      name = "lucky-run",
      replace = {"np.median(", "np.min("},
      explain = "The least time of all is one lucky run, and not what the size"
        .. " takes.",
    },
    {
      name = "place-not-size",
      replace = {"return sizes[best], near", "return best, near"},
      explain = "This is the place in the list: sizes[best] is the size.",
    },
    {
      name = "slowest",
      replace = {"np.argmin(median)", "np.argmax(median)"},
      explain = "The largest time is the slowest size.",
    },
    {
      name = "less-than-one",
      replace = {"np.less_equal(", "np.less("},
      explain = "A size that is 1 microsecond above counts, too: at most 1.",
    },
    {
      name = "without-itself",
      replace = {"return sizes[best], near", "return sizes[best], near - 1"},
      explain = "The best size is one of those that are as good.",
    },
    {
      name = "median-of-all-runs",
      replace = {'np.median(times[":, 1:"], 1)',
        'np.median(times[":, 1:"], 1) * 0 + np.median(times[":, 1:"])'},
      explain = "One median of all numbers says nothing about any size: each"
        .. " row has its own.",
    },
  },
}
