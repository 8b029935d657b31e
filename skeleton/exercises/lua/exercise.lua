-- SPDX-License-Identifier: Apache-2.0
-- docs/exercises.md explains every field.
return {
  kind = "lua",
  title = "Twice as much, of an array",
  task = "twice(x): an array with 2 * x[i] in place of x[i].",
  minutes = 5,
  entry = "twice",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "y"},
  },
  -- Counted from 0, in plain Lua: it is compared with what arrays make of it.
  reference = function(args)
    for i = 0, #args.x - 1 do args.y[i] = 2 * args.x[i] end
  end,
  tolerance = {ulp = 0, reason = "doubling a float is exact"},
  make = function(case, rng)
    return {x = rng:floats(case.n, -8, 8), y = case.n}
  end,
  cases = {
    {name = "n=6", n = 6},
    {name = "n=1", n = 1},
    {name = "n=1009", n = 1009},
    {name = "large", n = 20011, hidden = true},
  },
  hints = {
    "An operator works on all elements at once.",
    "2 * x is an array as long as x.",
  },
  -- Shown after the first pass: what the solution costs, and what is next.
  editorial = "One pass over x and one new array, however long it is: no loop in Lua."
    .. " Next: the same of two arrays, 2 * x + y.",
  mutants = {
    {
      name = "not-doubled",
      replace = {"2 * x", "1 * x"},
      explain = "x came back as it was.",
    },
    {
      name = "squared",
      replace = {"2 * x", "x ^ 2"},
      explain = "That is the square: x ^ 2 is x * x.",
    },
    {
      name = "added",
      replace = {"2 * x", "2 + x"},
      explain = "2 was added, not multiplied.",
    },
    {
      name = "halved",
      replace = {"2 * x", "x / 2"},
      explain = "That is half of x.",
    },
  },
}
