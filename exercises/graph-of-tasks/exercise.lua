-- SPDX-License-Identifier: Apache-2.0
-- Tasks 0 to 3 read, 4 to 7 add up, 8 and 9 add two sums each, 10 the last two.
local SUMS = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 8}, {5, 8}, {6, 9}, {7, 9},
  {8, 10}, {9, 10}}

-- A chain whose arrows stand the wrong way round, so that news travels slowly.
local function chain(n)
  local arrows = {}
  for k = n - 1, 1, -1 do arrows[#arrows + 1] = {k - 1, k} end
  return arrows
end

-- Arrows from earlier places to later ones, of tasks dealt out by `name`.
local function any_arrows(case, rng)
  local n, name, arrows = case.n, {}, {}
  for k = 0, n - 1 do name[k] = (k * case.step + 3) % n end
  local from, far = rng:ints(case.arrows, 0, n - 2), rng:ints(case.arrows, 1, 9)
  for e = 0, case.arrows - 1 do
    local to = math.min(n - 1, from[e] + far[e])
    arrows[e + 1] = {name[from[e]], name[to]}
  end
  return arrows
end

return {
  kind = "lua",
  title = "A graph of tasks",
  task = "graph_of_tasks(minutes, first, second): when each task can begin,"
    .. " when all is done, and how many work at once.",
  minutes = 20,
  entry = "graph_of_tasks",
  signature = {
    {"in", "i32[]", "minutes"},
    {"in", "i32[]", "first"},
    {"in", "i32[]", "second"},
    {"out", "i32[]", "start"},
    {"out", "i32", "total"},
    {"out", "i32", "workers"},
  },
  reference = function(args)
    local n, waits, at_work = #args.minutes, {}, {}
    for i = 0, n - 1 do waits[i] = {} end
    for e = 0, #args.first - 1 do
      table.insert(waits[args.second[e]], args.first[e])
    end
    local begin = {}
    local function begin_of(i)
      if not begin[i] then
        begin[i] = 0
        for _, w in ipairs(waits[i]) do
          begin[i] = math.max(begin[i], begin_of(w) + args.minutes[w])
        end
      end
      return begin[i]
    end
    local total, workers = 0, 0
    for i = 0, n - 1 do
      args.start[i] = begin_of(i)
      total = math.max(total, args.start[i] + args.minutes[i])
      for m = args.start[i], args.start[i] + args.minutes[i] - 1 do
        at_work[m] = (at_work[m] or 0) + 1
        workers = math.max(workers, at_work[m])
      end
    end
    args.total[0], args.workers[0] = total, workers
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local arrows = case.given or any_arrows(case, rng)
    local minutes = rng:ints(case.n, 1, 9)
    for i, m in ipairs(case.minutes or {}) do minutes[i - 1] = m end
    local first, second = rng:full(#arrows, 0), rng:full(#arrows, 0)
    for e, arrow in ipairs(arrows) do
      first[e - 1], second[e - 1] = arrow[1], arrow[2]
    end
    return {minutes = minutes, first = first, second = second, start = case.n}
  end,
  cases = {
    {name = "the lesson's sum", n = 11, given = SUMS},
    {name = "two tasks", n = 2, given = {{1, 0}}},
    {name = "two ways, the short one first", n = 4, minutes = {1, 5, 2, 1},
      given = {{1, 2}, {2, 3}, {0, 1}, {0, 3}}},
    {name = "the first is the last", n = 4, minutes = {10, 2, 3, 3},
      given = {{1, 2}, {1, 3}}},
    {name = "a chain from the wrong end", n = 9, given = chain(9)},
    {name = "40 tasks", n = 40, step = 7, arrows = 60},
    {name = "many", n = 101, step = 23, arrows = 200, hidden = true},
  },
  hints = {
    "A task waits for the last of those before it: the greatest of start +"
      .. " minutes over its arrows.",
    "The arrows stand in any order, so what an arrow says may be out of date"
      .. " when a later one is looked at. Go over all of them again, until"
      .. " nothing changes.",
    "All is done when the last task is done, which need not be the one that"
      .. " began last.",
    "The most tasks are at work at a moment when some task begins: for each"
      .. " task, count those with start <= its start < start + minutes.",
  },
  editorial = "A round looks at all arrows; as many rounds as the longest way"
    .. " has tasks are enough, and arrows in a good order need two. A queue of"
    .. " tasks that wait for nothing more looks at each arrow once. To count"
    .. " workers each task is compared with all, O(n n); with begins and ends"
    .. " sorted, one walk counts. Neither matters for some dozens of tasks.",
  mutants = {
    {
      name = "one-round",
      replace = {"until not has_changed", "until true"},
      explain = "The arrows are looked at once. Where an arrow stands before"
        .. " the one that it depends on, its word comes too late.",
    },
    {
      name = "last-arrow",
      replace = {"    local has_changed = false\n    for e = 0, #first - 1 do\n"
        .. "      local ready = start[first[e]] + minutes[first[e]]\n"
        .. "      if ready > start[second[e]] then",
        "    local has_changed = false\n    for e = 0, #first - 1 do\n"
        .. "      local ready = start[first[e]] + minutes[first[e]]\n"
        .. "      if start[second[e]] == 0 then"},
      explain = "A task begins when the first of those before it is found, not"
        .. " when the last of them is done.",
    },
    {
      name = "begins-with-it",
      replace = {"start[first[e]] + minutes[first[e]]", "start[first[e]] + 1"},
      explain = "A task takes its own minutes: who waits for it begins at its"
        .. " start plus these.",
    },
    {
      name = "own-minutes",
      replace = {"minutes[first[e]]", "minutes[second[e]]"},
      explain = "What has to be waited for are the minutes of the task before,"
        .. " and not one's own.",
    },
    {
      name = "last-to-begin",
      replace = {"np.max(done)", "np.max(start)"},
      explain = "That is when the last task begins. It has to be done, as"
        .. " well.",
    },
    {
      name = "all-minutes",
      replace = {"np.max(done)", "np.sum(minutes)"},
      explain = "One worker alone would take all these minutes; there are"
        .. " workers enough.",
    },
    {
      name = "hand-over",
      replace = {"np.greater(done, start[i])",
        "np.greater_equal(done, start[i])"},
      explain = "A task that is done at this minute is counted as at work: its"
        .. " worker is free for the next one.",
    },
    {
      name = "begin-together",
      replace = {"np.less_equal(start, start[i])", "np.equal(start, start[i])"},
      explain = "Only tasks that begin at the same minute are counted. Those"
        .. " that began before may still be at work.",
    },
    {
      name = "last-count",
      replace = {"math.max(workers, np.count_nonzero(at_work))",
        "np.count_nonzero(at_work)"},
      explain = "This is the number at the last task's begin, not the most of"
        .. " all.",
    },
  },
}
