-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Why again?",
  task = "why_again(goal, rates): steps from zeros towards goal. The starter is"
    .. " right and is traced at every step; let it be traced once.",
  minutes = 8,
  entry = "why_again",
  signature = {
    {"in", "f32[]", "goal"},
    {"in", "f32[]", "rates"},
    {"out", "f32[]", "w"},
  },
  reference = function(args)
    for i = 0, #args.goal - 1 do
      local w = 0
      for k = 0, #args.rates - 1 do
        w = w - args.rates[k] * (w - args.goal[i])
      end
      args.w[i] = w
    end
  end,
  tolerance = {abs = 1e-4, reason = "40 steps of three roundings each, of"
    .. " numbers below 16: together below 40 * 3 * 10 * 2^-24, that is 7.2e-5"},
  make = function(case, rng)
    return {goal = rng:floats(case.n, -10, 10),
            rates = rng:floats(case.steps, 0.05, 0.95), w = case.n}
  end,
  cases = {
    {name = "5 steps", n = 4, steps = 5},
    {name = "one step", n = 7, steps = 1},
    {name = "one element", n = 1, steps = 3},
    {name = "40 steps", n = 100, steps = 40},
    {name = "12 steps", n = 33, steps = 12, hidden = true},
  },
  goal = {"traces <= 1", "traces >= 1"},
  hints = {
    "A function that is made in a loop is a new one at each round, and so is"
      .. " what jit makes of it: it begins with no recipes.",
    "Jit once, before the loop.",
    "What changes from step to step is an argument: the rate, too.",
    "Not a static one: each value of a static argument is a kind of its own.",
  },
  editorial = "One trace for all steps, where the starter needs one for each: a"
    .. " rate is an argument, and another number of the same type is no new"
    .. " recipe. Each step is three operations an element. The loop itself is"
    .. " Lua's still and calls the recipe once a step; lesson"
    .. " 38-trees-and-loops makes a loop part of the recipe.",
  mutants = {
    {
      name = "static-rate",
      replace = {"(at - to) end)\n", "(at - to) end,\n"
        .. "                       {static_argnums = 2})\n"},
      breaks = "traces <= 1",
      explain = "A static argument is a part of the recipe: each rate is"
        .. " traced.",
    },
    {
      name = "jit-in-the-loop",
      replace = {"  for i = 0, #rates - 1 do\n",
        "  local once = step\n  for i = 0, #rates - 1 do\n"
        .. "    step = jax.jit(function(...) return once(...) end)\n"},
      breaks = "traces <= 1",
      explain = "What jit gives in the loop is new at each round.",
    },
    {
      name = "not-jitted",
      replace = {
        "jax.jit(function(at, to, rate) return at - rate * (at - to) end)",
        "function(at, to, rate) return at - rate * (at - to) end",
      },
      breaks = "traces >= 1",
      explain = "Nothing is jitted: each operation of each step is done alone.",
    },
    {
      name = "away",
      replace = {"at - rate * (at - to)", "at + rate * (at - to)"},
      explain = "The sign: that walks away from the goal.",
    },
    {
      name = "first-rate-only",
      replace = {"rates[i])", "rates[0])"},
      explain = "Each step has a rate of its own: rates[i], not the first one.",
    },
    {
      name = "one-step-short",
      replace = {"for i = 0, #rates - 1 do", "for i = 1, #rates - 1 do"},
      explain = "Arrays count from 0: the first rate is rates[0].",
    },
    {
      name = "no-step-back",
      replace = {"    w = step(w,", "    w = step(jnp.zeros(#goal),"},
      explain = "Each step has to begin where the one before ended.",
    },
  },
}
