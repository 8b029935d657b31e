-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Moving averages",
  task = "moving(x, width): in each row, the mean of the last `width`"
    .. " elements up"
    .. " to each, or of as many as there are; and the last of each row.",
  needs = {"cos2-sin2"},
  minutes = 20,
  entry = "moving",
  signature = {
    {"in", "f64[]", "x"},
    {"value", "i32", "width"},
    {"out", "f64[]", "mean"},
    {"out", "f64[]", "latest"},
  },
  reference = function(args)
    local rows = #args.latest
    local n = #args.x // rows
    for r = 0, rows - 1 do
      local sum = 0 -- exact, so what left the window can be taken off
      for j = 0, n - 1 do
        sum = sum + args.x[r * n + j]
        if j >= args.width then sum = sum - args.x[r * n + j - args.width] end
        args.mean[r * n + j] = sum / math.min(j + 1, args.width)
      end
      args.latest[r] = args.mean[r * n + n - 1]
    end
  end,
  tolerance = {ulp = 2,
    reason = "the numbers are multiples of 1/8 within 100, so that all sums are"
      .. " exact, and the division rounds once"},
  budget = 600000,
  make = function(case, rng)
    local count = case.rows * case.n
    local shape = {case.rows, case.n}
    return {
      x = rng:steps(count, -100, 100, 1 / 8), width = case.width, mean = count,
      latest = case.rows,
    }, {x = shape, mean = shape}
  end,
  cases = {
    {name = "2 rows of 8, width 3", rows = 2, n = 8, width = 3},
    {name = "one number", rows = 1, n = 1, width = 1},
    {name = "width 1", rows = 3, n = 5, width = 1},
    {name = "width of a row", rows = 4, n = 6, width = 6},
    {name = "a little wider than a row", rows = 2, n = 5, width = 6},
    {name = "wider than a row", rows = 2, n = 5, width = 9},
    {name = "as many rows as elements", rows = 6, n = 6, width = 2},
    {name = "long", rows = 5, n = 7000, width = 365, hidden = true},
  },
  hints = {
    "The sum of a window is the difference of two running sums: that up to j,"
      .. " less"
      .. " that up to j - width.",
    "np.cumsum(x, {axis = 1}) has all running sums. Shift a copy of them to the"
      .. " right by `width`, with zeros in front.",
    "There are np.minimum(np.arange(1, n + 1), width) elements in each"
      .. " window: a"
      .. " row, which stretches downwards.",
  },
  editorial = "One addition, one difference and one quotient an element,"
    .. " whatever the width; four arrays as large as x: sums, before, their"
    .. " difference, the means. Large sums eat small digits: in a very long"
    .. " row of f32 the differences would suffer; f64 is enough here. Next:"
    .. " scan rows on a device, as in lesson 23-scan; one kernel makes means"
    .. " of the sums.",
  mutants = {
    {
      name = "always-width",
      replace = {"/ np.minimum(np.arange(1, n + 1), width)", "/ width"},
      explain = "The first windows have fewer than `width` elements: divide"
        .. " by as"
        .. " many as there are.",
    },
    {
      name = "never-leaves",
      replace = {"(sums - before)", "sums"},
      explain = "Elements come into the window and never leave it: take the"
        .. " sum up"
        .. " to j - width off.",
    },
    {
      name = "sum-for-mean",
      replace = {" / np.minimum(np.arange(1, n + 1), width)", ""},
      explain = "Those are the sums of the windows: divide them by the number"
        .. " of"
        .. " their elements.",
    },
    {
      name = "counts-from-zero",
      replace = {"np.minimum(np.arange(1, n + 1), width)",
        "np.maximum(np.minimum(np.arange(n), width), 1)"},
      explain = "Window j has j + 1 elements at the beginning: the element j"
        .. " counts"
        .. " as well.",
    },
    {
      name = "first-for-last",
      replace = {"mean[\":, -1\"]", "mean[\":, 0\"]"},
      explain = "The second result is the first mean of each row. The last"
        .. " one is"
        .. " asked for: -1.",
    },
  },
}
