-- SPDX-License-Identifier: Apache-2.0
-- Tasks 0 to 3 read, 4 to 7 add up, 8 and 9 add two sums each, 10 the last two.
local SUMS = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 8}, {5, 8}, {6, 9}, {7, 9},
  {8, 10}, {9, 10}}

-- Arrows from task to task, those near the end first.
local function chain(n)
  local arrows = {}
  for k = 0, n - 2 do arrows[#arrows + 1] = {k, k + 1} end
  return arrows
end

local function any_arrows(case, rng)
  local arrows, n = {}, case.n
  local from, far = rng:ints(case.arrows, 0, n - 2), rng:ints(case.arrows, 1, 9)
  for e = 0, case.arrows - 1 do
    arrows[e + 1] = {from[e], math.min(n - 1, from[e] + far[e])}
  end
  return arrows
end

local function list_of(rng, n, values, other)
  local list = rng:full(n, other or 0)
  for i, v in ipairs(values or {}) do list[i - 1] = v end
  return list
end

return {
  kind = "lua",
  title = "What has to be made again",
  task = "made_again(first, second, done, place, wanted, dead): which tasks run"
    .. " again when a worker has died, and how many are to run in all.",
  needs = {"graph-of-tasks"},
  minutes = 20,
  entry = "made_again",
  signature = {
    {"in", "i32[]", "first"},
    {"in", "i32[]", "second"},
    {"in", "i32[]", "done"},
    {"in", "i32[]", "place"},
    {"in", "i32[]", "wanted"},
    {"value", "i32", "dead"},
    {"out", "i32[]", "again"},
    {"out", "i32", "left"},
  },
  reference = function(args)
    local n, needs, left = #args.done, {}, 0
    for i = 0, n - 1 do needs[i], args.again[i] = {}, 0 end
    for e = 0, #args.first - 1 do
      table.insert(needs[args.second[e]], args.first[e])
    end
    local function run(i) -- i is to run: what it needs has to be there
      left = left + 1
      for _, k in ipairs(needs[i]) do
        if args.done[k] == 1 and args.place[k] == args.dead
           and args.again[k] == 0 then
          args.again[k] = 1
          run(k)
        end
      end
    end
    for i = 0, n - 1 do
      if args.done[i] == 0 then
        run(i)
      elseif args.wanted[i] == 1 and args.place[i] == args.dead
             and args.again[i] == 0 then
        args.again[i] = 1
        run(i)
      end
    end
    args.left[0] = left
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local arrows = case.given or any_arrows(case, rng)
    local n = case.n
    local first, second = rng:full(#arrows, 0), rng:full(#arrows, 0)
    for e, arrow in ipairs(arrows) do
      first[e - 1], second[e - 1] = arrow[1], arrow[2]
    end
    local done = list_of(rng, n, case.done)
    local wanted = list_of(rng, n, case.wanted)
    if case.finished then
      for i = 0, n - 1 do done[i] = i < case.finished and 1 or 0 end
      wanted[n - 1], wanted[2] = 1, 1
    end
    local place = case.place and list_of(rng, n, case.place)
      or rng:ints(n, 0, 2)
    return {first = first, second = second, done = done, place = place,
            wanted = wanted, dead = case.dead, again = n}
  end,
  cases = {
    {name = "the lesson's sum", n = 11, given = SUMS, dead = 1,
      done = {1, 1, 1, 1, 1, 1, 1, 1, 1}, wanted = {0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 1}, place = {0, 1, 0, 1, 0, 1, 0, 1, 0}},
    {name = "needed by nobody more", n = 3, given = {{0, 1}, {1, 2}}, dead = 2,
      done = {1, 1, 0}, place = {2, 0, 0}, wanted = {0, 0, 1}},
    {name = "wanted itself", n = 3, given = {{0, 1}, {0, 2}}, dead = 0,
      done = {1, 1, 1}, place = {1, 0, 1}, wanted = {0, 1, 1}},
    {name = "the first and the last are wanted", n = 3, dead = 1,
      given = {{0, 1}, {1, 2}}, done = {1, 1, 1}, place = {1, 0, 1},
      wanted = {1, 0, 1}},
    {name = "all the way back", n = 8, given = chain(8), dead = 3,
      done = {1, 1, 1, 1, 1, 1, 1}, place = {3, 3, 3, 3, 3, 3, 3},
      wanted = {0, 0, 0, 0, 0, 0, 0, 1}},
    {name = "back as far as one that lives", n = 6, given = chain(6), dead = 1,
      done = {1, 1, 1, 1, 1}, place = {1, 1, 0, 1, 1},
      wanted = {0, 0, 0, 0, 0, 1}},
    {name = "nothing begun", n = 4, given = {{0, 1}, {2, 3}}, dead = 0,
      wanted = {0, 1, 0, 1}},
    {name = "any", n = 30, arrows = 40, finished = 21, dead = 1},
    {name = "many", n = 120, arrows = 170, finished = 90, dead = 2,
      hidden = true},
  },
  hints = {
    "Who needs what was lost? A task that is not done yet, one that runs again"
      .. " itself, or the one who asked for the result.",
    "Begin with what is wanted. Then go over the arrows: first[e] is lost, and"
      .. " second[e] is to run: first[e] runs again.",
    "A task that runs again needs its own inputs, which may be lost as well:"
      .. " go over all arrows until a round changes nothing.",
  },
  editorial = "Nothing was saved, and nothing is lost but time: a result is"
    .. " known by the task that made it, and can be made again from its"
    .. " inputs, as far back as something lives. That is why tasks must not"
    .. " change what they are given, and why random numbers want keys. Who"
    .. " cannot afford to go so far back writes results to a file now and"
    .. " then.",
  mutants = {
    {
      name = "all-it-had",
      replace = {"if is_lost(i) and (done[j] == 0 or again[j] == 1) then",
        "if is_lost(i) then"},
      explain = "Not all that the worker had is needed: what a task used that"
        .. " is done and lives is used no more.",
    },
    {
      name = "one-round",
      replace = {"until not has_changed", "until true"},
      explain = "What runs again needs its own inputs, and they may be lost,"
        .. " too: go back until nothing changes.",
    },
    {
      name = "not-done-alone",
      replace = {"(done[j] == 0 or again[j] == 1)", "(done[j] == 0)"},
      explain = "A task that runs again needs its inputs as one that has never"
        .. " run.",
    },
    {
      name = "nobody-asked",
      replace = {"is_lost(i) and wanted[i] == 1", "false"},
      explain = "A result that is wanted, and lay at the dead worker, has to be"
        .. " made again, though no task needs it.",
    },
    {
      name = "wherever-it-lay",
      replace = {"done[i] == 1 and place[i] == dead and", "done[i] == 1 and"},
      explain = "What lies at a worker that lives is there, and needs not run"
        .. " again.",
    },
    {
      name = "not-yet-done",
      replace = {"done[i] == 1 and place[i] == dead and",
                 "place[i] == dead and"},
      explain = "A task that is not done cannot run again: it has not run yet.",
    },
    {
      name = "the-lost-alone",
      replace = {"n - np.sum(done) + np.sum(again)", "np.sum(again)"},
      explain = "Those that have never run are to run as well.",
    },
    {
      name = "all-wanted",
      replace = {"if is_lost(i) and wanted[i] == 1 then",
        "if is_lost(i) then"},
      explain = "A lost result that nobody asks for, and no task needs, may"
        .. " stay lost.",
    },
  },
}
