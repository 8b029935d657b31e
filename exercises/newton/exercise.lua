-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Newton, from many places",
  task = "newton(c, starts, steps): so many steps of Newton from each start,"
    .. " for"
    .. " c[0] + c[1] x + c[2] x^2 + c[3] x^3.",
  minutes = 15,
  entry = "newton",
  signature = {
    {"in", "f32[]", "c"},
    {"in", "f32[]", "starts"},
    {"value", "i32", "steps"},
    {"out", "f32[]", "ends"},
    {"out", "f32[]", "values"},
  },
  reference = function(args)
    local c = args.c
    local function p(x) return c[0] + x * (c[1] + x * (c[2] + x * c[3])) end
    for i = 0, #args.starts - 1 do
      local x = args.starts[i]
      for _ = 1, args.steps do
        x = x - p(x) / (c[1] + x * (2 * c[2] + x * 3 * c[3]))
      end
      args.ends[i], args.values[i] = x, p(x)
    end
  end,
  tolerance = {rel = 1e-4, abs = 1e-3,
    reason = "p rises and bends upward where it is used, so that a step shrinks"
      .. " the error of the one before; p is eight operations on numbers below"
      .. " 400, off by 2e-4, and its slope at least 1"},
  make = function(case, rng)
    local c = rng:floats(4, 1, 2)
    c[0] = -case.down
    return {
      c = c, starts = rng:floats(case.n, 2, 5), steps = case.steps,
      ends = case.n, values = case.n,
    }
  end,
  cases = {
    {name = "3 starts, 2 steps", n = 3, steps = 2, down = 6},
    {name = "one step", n = 1, steps = 1, down = 3},
    {name = "no step", n = 4, steps = 0, down = 5},
    {name = "8 steps", n = 5, steps = 8, down = 4},
    {name = "many", n = 1003, steps = 5, down = 7, hidden = true},
  },
  hints = {
    "Write p as a function of one number; it takes a whole array as well.",
    "jax.grad(p) is for one number: jax.vmap(jax.grad(p)) for all.",
    "for _ = 1, steps do x = x - p(x) / slope(x) end",
  },
  editorial = "A step computes p, three products and three sums, at every"
    .. " start, and p once more on the way to its slope; jax.value_and_grad"
    .. " gives both in one walk. The number of steps is given here. Who wants"
    .. " to go on until a step is small finds jax.lax.while_loop in lesson"
    .. " 38-trees-and-loops.",
  mutants = {
    {
      name = "uphill",
      replace = {"x - p(x) / slope(x)", "x + p(x) / slope(x)"},
      explain = "The step goes the wrong way: it is taken off.",
    },
    {
      name = "times-slope",
      replace = {"p(x) / slope(x)", "0.01 * p(x) * slope(x)"},
      explain = "p is divided by its slope: the steeper it is, the shorter is"
        .. " the"
        .. " way.",
    },
    {
      name = "one-step-fewer",
      replace = {"for _ = 1, steps do", "for _ = 1, steps - 1 do"},
      explain = "One step is missing: a loop from 1 goes up to and with its"
        .. " end.",
    },
    {
      name = "first-slope-kept",
      replace = {"for _ = 1, steps do x = x - p(x) / slope(x) end",
        "local s = slope(x)\n  for _ = 1, steps do x = x - p(x) / s end"},
      explain = "The slope of the start was used in all steps. It has to be"
        .. " taken"
        .. " where x is now.",
    },
    {
      name = "value-before",
      replace = {"return x, p(x)", "return x, p(starts)"},
      explain = "The second result is p at the starts: it is asked for where x"
        .. " ends.",
    },
  },
}
