-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A primitive of your own",
  task = "Add hypot to the little jax: what it computes, its slope, and how"
    .. " it is"
    .. " done for many.",
  needs = {"vmap-rule"},
  minutes = 20,
  entry = "all_pairs",
  signature = {
    {"in", "f64[]", "x"},
    {"in", "f64[]", "y"},
    {"out", "f64[]", "lengths"},
    {"out", "f64[]", "slopes"},
    {"out", "f64[]", "bends"},
  },
  reference = function(args)
    local m = #args.y
    for i = 0, #args.x - 1 do
      for j = 0, m - 1 do
        local x, y = args.x[i], args.y[j]
        local h = math.sqrt(x * x + y * y)
        args.lengths[i * m + j] = h
        args.slopes[i * m + j] = x / h
        args.bends[i * m + j] = -x * y / (h * h * h)
      end
    end
  end,
  tolerance = {rel = 1e-9, abs = 1e-11,
    reason = "some twenty operations in f64 on numbers between 0.05 and 10, of"
      .. " which one subtraction loses at most four digits"},
  make = function(case, rng)
    local both = case.n * case.m
    local shape = {case.n, case.m}
    return {
      x = rng:floats(case.n, case.low, 5), y = rng:floats(case.m, 0.5, 5),
      lengths = both, slopes = both, bends = both,
    }, {lengths = shape, slopes = shape, bends = shape}
  end,
  cases = {
    {name = "4 with 3", n = 4, m = 3, low = 0.5},
    {name = "one with one", n = 1, m = 1, low = 0.5},
    {name = "as many as the others", n = 5, m = 5, low = -5},
    {name = "one with many", n = 1, m = 40, low = -5},
    {name = "many with one", n = 40, m = 1, low = 0.5},
    {name = "many", n = 61, m = 53, low = -5, hidden = true},
  },
  hints = {
    "value gets numbers or arrays: np.sqrt(a * a + b * b) does for both.",
    "The slope of the root of a a + b b is (a da + b db) / hypot(a, b): x[1]"
      .. " and"
      .. " x[2] are a and b, d[1] and d[2] are da and db.",
    "In slope, write div, add, mul and hypot where you would write / + * and"
      .. " np.sqrt: they are handed to whoever looks on.",
  },
  editorial = "The value takes two products, a sum and a root. The slope takes"
    .. " two products, a sum, a quotient, and the root once more, since the"
    .. " rule is not given the value that was just computed; a rule that gets"
    .. " it saves a root. a * a can overflow where the root would not: divide"
    .. " by the larger of both first, if numbers may be so large.",
  mutants = {
    {
      name = "squared",
      replace = {"np.sqrt(a * a + b * b)", "a * a + b * b"},
      explain = "That is the square of the length: the root is missing in"
        .. " value.",
    },
    {
      name = "not-divided",
      replace = {"div(add(mul(x[1], d[1]), mul(x[2], d[2])), hypot(x[1],"
        .. " x[2]))",
        "add(mul(x[1], d[1]), mul(x[2], d[2]))"},
      explain = "The slope has to be divided by the length: a da + b db is how"
        .. " fast half of the square grows.",
    },
    {
      name = "slope-is-one",
      replace = {"div(add(mul(x[1], d[1]), mul(x[2], d[2])), hypot(x[1],"
        .. " x[2]))",
        "add(d[1], d[2])"},
      explain = "Where x grows by a little, the length grows by less: by x over"
        .. " the length.",
    },
    {
      name = "frozen-slope",
      replace = {"hypot(x[1], x[2]))\n", "hypot(5, 0))\n"},
      explain = "The slope is divided by 5 wherever it is taken. It has to be"
        .. " the length there, so that it changes as x does.",
    },
    {
      name = "value-as-slope",
      replace = {"div(add(mul(x[1], d[1]), mul(x[2], d[2])), hypot(x[1],"
        .. " x[2]))",
        "mul(d[1], hypot(x[1], x[2]))"},
      explain = "The slope given here is the length itself, times how fast x"
        .. " grows: (a da + b db) divided by the length is asked for.",
    },
  },
}
