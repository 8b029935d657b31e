-- SPDX-License-Identifier: Apache-2.0
-- docs/exercises.md explains every field.
return {
  kind = "host",
  title = "Twice twice, one trip",
  task = "four_times(x): 4 * x[i], by two launches; one copy each way.",
  minutes = 5,
  kernels = "kernels.cu",
  entry = "four_times",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "y"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do args.y[i] = 4 * args.x[i] end
  end,
  tolerance = {ulp = 0, reason = "doubling a float is exact"},
  make = function(case, rng)
    return {x = rng:floats(case.n, -8, 8), y = case.n}
  end,
  cases = {
    {name = "n=1000", n = 1000},
    {name = "n=1", n = 1},
    {name = "n=128", n = 128},
    {name = "large", n = 20011, hidden = true},
  },
  -- What is asked of the way there: counters of cuda.calls.
  goal = {"copies <= 2"},
  hints = {
    "A launch with arrays of the host copies them each time.",
    "cuda.to_device(x) before the launches, :copy_to_host() behind them.",
  },
  -- Shown after the first pass: what the solution costs, and what is next.
  editorial = "x crosses the bus once each way, 4 bytes an element, however many"
    .. " launches are in between. Next: a copy that runs while a kernel works.",
  mutants = {
    {
      name = "looks-between",
      replace = {"  return from", "  to:copy_to_host()\n  return from"},
      breaks = "copies <= 2",
      explain = "The result of the first launch came home, and nobody looked.",
    },
    {
      name = "once",
      replace = {"  return from:", "  return to:"},
      explain = "That is 2 * x: the array that the first launch wrote.",
    },
    {
      name = "last-block-missing",
      replace = {"(n + 127) // 128, 128}](from",
        "math.max(1, n // 128), 128}](from"},
      explain = "n // 128 rounds down: the elements behind the last whole block"
        .. " are nobody's.",
    },
    {
      name = "three-launches",
      replace = {"  return from:copy_to_host()",
        "  twice[{(n + 127) // 128, 128}](from, to, n)\n"
          .. "  return to:copy_to_host()"},
      explain = "That is 8 * x: twice ran three times.",
    },
  },
}
