-- SPDX-License-Identifier: Apache-2.0
-- Several launches: docs/exercises.md explains every field.
return {
  title = "The largest so far",
  task = "y[i] is the largest of x[0] to x[i], in rounds that the host launches.",
  minutes = 15,
  kernels = {
    {name = "copy", signature = {
      {"in", "const int *", "from"},
      {"out", "int *", "to"},
      {"value", "int", "n"},
    }},
    {name = "step", signature = {
      {"in", "const int *", "from"},
      {"out", "int *", "to"},
      {"value", "int", "far"},
      {"value", "int", "n"},
    }},
  },
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "y"},
    {"scratch", "int *", "a"},
    {"scratch", "int *", "b"},
    {"value", "int", "n"},
  },
  -- The starter shows these lines to the learner.
  launches = function(args, kernels)
    local from, to, n = args.a, args.b, args.n
    local blocks, far = blocks_for(n, 64), 1
    kernels.copy[{blocks, 64}](args.x, from, n)
    while far < n do
      kernels.step[{blocks, 64}](from, to, far, n)
      from, to, far = to, from, 2 * far
    end
    kernels.copy[{blocks, 64}](from, args.y, n)
  end,
  reference = function(args)
    local most = args.x[0]
    for i = 0, args.n - 1 do
      most = math.max(most, args.x[i])
      args.y[i] = most
    end
  end,
  tolerance = {ulp = 0, reason = "values are moved, not computed"},
  budget = 20000,
  make = function(case, rng)
    local n = case.n
    return {x = rng:ints(n, -1000, 1000), y = n, a = n, b = n, n = n}
  end,
  cases = {
    {name = "n=200", n = 200},
    {name = "n=1", n = 1},
    {name = "n=64", n = 64},
    {name = "n=1009, a prime", n = 1009},
    {name = "large", n = 5003, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "copy is one line and its guard.",
    "In step thread i looks at from[i] and, if i is far or more, at from[i - far].",
  },
  -- Shown after the first pass: what the solution costs, and what is next.
  editorial = "Each round reads and writes the whole array, and doubles how far it"
    .. " looks: 10 rounds for 1000 elements. Next: let a block do its rounds in shared"
    .. " memory.",
  mutants = {
    {
      name = "no-guard",
      replace = {"if (i < n) to[i] = from[i]", "to[i] = from[i]"},
      explain = "The last block has more threads than elements are left.",
    },
    {
      name = "no-neighbour",
      replace = {"max(from[i], from[i - far])", "from[i]"},
      explain = "Nobody looks at a neighbour, so y is x.",
    },
    {
      name = "neighbour-alone",
      replace = {"max(from[i], from[i - far])", "from[i - far]"},
      explain = "The neighbour's value replaces the own one: the larger of the"
        .. " two is asked for.",
    },
    {
      name = "smaller",
      replace = {"max(from", "min(from"},
      explain = "This is the smallest so far.",
    },
    {
      name = "next-door",
      replace = {"from[i - far])", "from[i - 1])"},
      explain = "The neighbour is far away, not next door: what lies between"
        .. " was looked at in the rounds before.",
    },
    {
      -- Right, and not what is asked: each requirement has such a mutant.
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"  if (i < n) to[i] = from[i];",
        "  if (i == 0)\n    for (int k = 0; k < n; k++) to[k] = from[k];"},
      explain = "One thread copies all elements, and the others have nothing to do.",
    },
  },
}
