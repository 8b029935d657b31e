-- SPDX-License-Identifier: Apache-2.0
local function median(list)
  table.sort(list)
  return (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
end

return {
  kind = "lua",
  title = "In turns",
  task = "in_turns(old, new): is the new kernel faster? The median of the"
    .. " pairs' quotients, their spread, and a verdict that may be: too noisy.",
  minutes = 10,
  entry = "in_turns",
  signature = {
    {"in", "f64[]", "old"},
    {"in", "f64[]", "new"},
    {"out", "f64", "quotient"},
    {"out", "f64", "spread"},
    {"out", "i32", "verdict"},
  },
  reference = function(args)
    local quotients, far = {}, {}
    for k = 1, #args.old - 1 do quotients[k] = args.new[k] / args.old[k] end
    local middle = median(quotients)
    for k, q in ipairs(quotients) do far[k] = math.abs(q - middle) end
    args.quotient[0], args.spread[0] = middle, median(far)
    local off = middle - 1
    args.verdict[0] = off < 0 and 1 or -1
    if math.abs(off) <= args.spread[0] then args.verdict[0] = 0 end
  end,
  tolerance = {
    abs = 1e-12,
    reason = "a quotient of doubles below 10 is off by 2^-53 of itself, and a"
      .. " mean of two and a difference by as much again",
  },
  make = function(case, rng)
    local old, new = rng:steps(case.n, 0, 8, 1), rng:steps(case.n, 0, 8, 1)
    local late = rng:ints(2 * case.n, 0, 9)
    for k = 0, case.n - 1 do
      local warm = 100 + 40 * k / case.n
      old[k] = warm + case.noise * old[k] + (late[k] == 0 and 90 or 0)
      new[k] = warm * case.by + case.noise * new[k]
        + (late[case.n + k] == 0 and 90 or 0)
    end
    old[0] = old[0] + (case.first or 500)
    for k = 1, case.given and case.n - 1 or 0 do
      old[k], new[k] = 16, case.given[k % 3 + 1]
    end
    return {old = old, new = new}
  end,
  cases = {
    {name = "20 pairs, a third faster", n = 20, by = 0.66, noise = 1},
    {name = "20 pairs, slower", n = 20, by = 1.2, noise = 0.5},
    {name = "the same kernel", n = 41, by = 1, noise = 1},
    {name = "too noisy", n = 12, by = 0.97, noise = 4},
    {name = "one pair that counts", n = 2, by = 0.5, noise = 1},
    {name = "as far as the spread, below", n = 10, by = 1, noise = 1,
      given = {8, 12, 16}},
    {name = "as far as the spread, above", n = 10, by = 1, noise = 1,
      given = {16, 20, 24}},
    {name = "a little farther, below", n = 10, by = 1, noise = 1,
      given = {9, 12, 15}},
    {name = "a little farther, above", n = 10, by = 1, noise = 1,
      given = {17, 20, 23}},
    {name = "many", n = 200, by = 1.03, noise = 0.25, first = 5000,
      hidden = true},
  },
  hints = {
    "Each pair had the same weather: divide first, then take the median. A"
      .. " median of all old times knows nothing of the pairs.",
    "new[\"1:\"] is new without its first element.",
    "The spread is the median of np.abs(quotient - median).",
    "There are three answers: below 1 - spread, above 1 + spread, and between.",
  },
  editorial = "Two medians of n - 1 quotients, and no mean: one bad pair among"
    .. " many moves neither by much. The spread is that of single pairs, and"
    .. " more pairs do not make it smaller; how sure the median itself is does"
    .. " grow with them. An interval for the median would say more, and needs"
    .. " more words about chance than this task has.",
  mutants = {
    {
      name = "median-first",
      replace = {"np.median(quotient)\n",
        'np.median(new["1:"]) / np.median(old["1:"])\n'},
      explain = "The two medians are of different pairs, with different"
        .. " weather: divide pair by pair first.",
    },
    {
      name = "first-pair-too",
      replace = {'new["1:"] / old["1:"]', "new / old"},
      explain = "The first pair is counted: it has what is done once in it.",
    },
    {
      name = "mean",
      replace = {"local median = np.median(", "local median = np.mean("},
      explain = "One late run moves a mean as far as it likes: take the"
        .. " median.",
    },
    {
      name = "deviation",
      replace = {"np.median(np.abs(quotient - median))", "np.std(quotient)"},
      explain = "The standard deviation is asked for nowhere: one late run"
        .. " makes it large.",
    },
    {
      name = "upside-down",
      replace = {'new["1:"] / old["1:"]', 'old["1:"] / new["1:"]'},
      explain = "The quotient is upside down: new by old is asked for.",
    },
    {
      name = "always-an-answer",
      replace = {"if median < 1 - spread then", "if median < 1 then"},
      explain = "A median below 1 is no proof yet: it may be nearer to 1 than"
        .. " the pairs are to each other.",
    },
    {
      name = "exactly-the-spread",
      replace = {"median < 1 - spread", "median <= 1 - spread"},
      explain = "Where the median is exactly as far from 1 as the spread, it is"
        .. " too noisy to say.",
    },
    {
      name = "faster-is-more",
      replace = {"verdict = 1 end", "verdict = -1 end"},
      explain = "A quotient below 1 is less time: the new one is faster.",
    },
  },
}
