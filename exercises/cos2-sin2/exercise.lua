-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "From a to b",
  task = "blend(x, a, b): a cos^2 x + b sin^2 x for all elements at once.",
  minutes = 5,
  entry = "blend",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "f32[]", "a"},
    {"in", "f32[]", "b"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do
      local c, s = math.cos(args.x[i]), math.sin(args.x[i])
      args.out[i] = args.a[i] * c * c + args.b[i] * s * s
    end
  end,
  tolerance = {abs = 1e-5,
    reason = "cosine, sine, two squares, two products and a sum, each within"
      .. " 2^-23 of numbers below 8"},
  budget = 200000,
  make = function(case, rng)
    return {
      x = rng:floats(case.n, -case.turn, case.turn),
      a = rng:floats(case.n, -4, 4),
      b = rng:floats(case.n, -4, 4), out = case.n,
    }
  end,
  cases = {
    {name = "10 numbers", n = 10, turn = 3},
    {name = "one number", n = 1, turn = 1},
    {name = "near zero", n = 33, turn = 0.01},
    {name = "many turns", n = 257, turn = 50},
    {name = "many", n = 60001, turn = 7, hidden = true},
  },
  hints = {
    "np.cos and np.sin take whole arrays, and ^ 2 squares each element.",
    "a * np.cos(x) ^ 2 is one half of it. No loop: it would take more than this"
      .. " exercise allows.",
  },
  editorial = "Seven operations one after the other, each a walk over all"
    .. " elements and an array of its own; on a device they are seven"
    .. " launches. a + (b - a) * np.sin(x) ^ 2 is five, with one sine and no"
    .. " cosine. Next: jax.jit makes one kernel of the line as it stands,"
    .. " without arrays in between; lesson 35-jit shows it.",
  mutants = {
    {
      name = "exchanged",
      replace = {"a * np.cos(x) ^ 2 + b * np.sin(x) ^ 2",
        "a * np.sin(x) ^ 2 + b * np.cos(x) ^ 2"},
      explain = "a and b are exchanged: at x = 0 the cosine is 1, and a is to"
        .. " be"
        .. " left.",
    },
    {
      name = "not-squared",
      replace = {"np.cos(x) ^ 2", "np.cos(x)"},
      explain = "The cosine is not squared.",
    },
    {
      name = "argument-squared",
      replace = {"np.sin(x) ^ 2", "np.sin(x ^ 2)"},
      explain = "sin(x ^ 2) is the sine of a square. The square of the sine is"
        .. " sin(x) ^ 2.",
    },
    {
      name = "taken-off",
      replace = {" + b", " - b"},
      explain = "The second half was taken off: it is to be added.",
    },
    {
      name = "factors-squared",
      replace = {"a * np.cos(x) ^ 2", "(a * np.cos(x)) ^ 2"},
      explain = "With the brackets, a is squared as well.",
    },
  },
}
