-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A spread in pieces",
  task = "spread_in_pieces(x, ends): mean and variance of an array of which"
    .. " each piece sends three numbers.",
  minutes = 20,
  entry = "spread_in_pieces",
  signature = {
    {"in", "f64[]", "x"},
    {"in", "i32[]", "ends"},
    {"out", "f64[]", "parts"},
    {"out", "f64", "mean"},
    {"out", "f64", "variance"},
  },
  reference = function(args)
    local function mean_of(from, to)
      local sum = 0
      for i = from, to - 1 do sum = sum + args.x[i] end
      return to > from and sum / (to - from) or 0
    end
    local function squares_of(from, to, mean)
      local sum = 0
      for i = from, to - 1 do sum = sum + (args.x[i] - mean) ^ 2 end
      return sum
    end
    local first, n = 0, #args.x
    for k = 0, #args.ends - 1 do
      local last = args.ends[k]
      local mean = mean_of(first, last)
      args.parts[3 * k] = last - first
      args.parts[3 * k + 1] = mean
      args.parts[3 * k + 2] = squares_of(first, last, mean)
      first = last
    end
    args.mean[0] = mean_of(0, n)
    args.variance[0] = squares_of(0, n, args.mean[0]) / n
  end,
  tolerance = {abs = 1e-4, reason = "sums of multiples of 1/64 are exact; means"
    .. " below 2^25 are rounded by 2^-29 at most, and up to 2000 distances"
    .. " below 16 are off by that, in sums of their squares"},
  make = function(case, rng)
    local n, list = case.ends[#case.ends], rng:full(#case.ends, 0)
    for k, e in ipairs(case.ends) do list[k - 1] = e end
    local x = rng:steps(n, -8, 8, 1 / 64)
    for i = 0, n - 1 do
      x[i] = x[i] + (case.far or 0) + (case.drift or 0) * i / n // 1
    end
    return {x = x, ends = list, parts = 3 * #case.ends},
      {parts = {#case.ends, 3}}
  end,
  cases = {
    {name = "two pieces", ends = {4, 12}, drift = 5},
    {name = "three, uneven", ends = {1, 40, 50}, drift = 20},
    {name = "far from zero", ends = {300, 500, 1000}, far = 1 << 24},
    {name = "an empty one", ends = {3, 3, 9}},
    {name = "one piece", ends = {7}},
    {name = "all alike", ends = {1, 2, 3, 4}, drift = 4},
    {name = "the first is empty", ends = {0, 5, 64}, drift = 9},
    {name = "many", ends = {200, 201, 640, 640, 1499, 2000}, drift = 30,
      far = 1 << 20, hidden = true},
  },
  hints = {
    "Of two pieces with n and count elements, whose means differ by off, all"
      .. " n + count have a mean that is off * count / (n + count) from the"
      .. " first.",
    "The squared distances are those inside each piece, and what the two means"
      .. " are apart: off * off * n * count / (n + count) more.",
    "Take the pieces one after the other: what you have so far, and the next"
      .. " one. What n was is needed until both are added; an empty piece"
      .. " changes nothing, and has no mean.",
  },
  editorial = "One pass over the data, three numbers a piece, and pieces may be"
    .. " joined in any order, or in a tree, which is what x:var() does. The"
    .. " mean of the squares less the square of the mean needs one pass as"
    .. " well, and loses all its digits far from zero. Chan, Golub and LeVeque"
    .. " wrote the formula down in 1979.",
  mutants = {
    {
      name = "squares-of-all",
      replace = {"      n = all\n    end\n  end\n",
        "      n = all\n    end\n  end\n"
        .. "  squares = np.sum(x * x) - n * mean * mean\n"},
      explain = "The mean of the squares less the square of the mean: far from"
        .. " zero both are huge, and of their difference no digit is right.",
    },
    {
      name = "inside-alone",
      replace = {"s + off * off * n * count / all", "s"},
      explain = "The distances inside the pieces are there. What the pieces'"
        .. " means are apart from each other is missing.",
    },
    {
      name = "mean-of-means",
      replace = {"mean + off * count / all", "mean + off / (k + 1)"},
      explain = "A piece with one element counts as much as one with forty.",
    },
    {
      name = "n-too-early",
      replace = {"      squares = squares + s + off * off * n * count / all\n",
        "      n = all\n      squares = squares + s + off * off * n * count"
        .. " / all\n"},
      explain = "The formula wants the number of elements before this piece"
        .. " came to them.",
    },
    {
      name = "empty-mean",
      replace = {"if count > 0 then", "if true then"},
      explain = "The first piece is empty: nothing and nothing are 0 elements,"
        .. " and 0 / 0 is no number.",
    },
    {
      name = "old-mean-gone",
      replace = {"local off, all = m - mean, n + count",
        "local off, all = m, n + count"},
      explain = "What counts is how far the piece's mean is from the mean so"
        .. " far, not from zero.",
    },
    {
      name = "root",
      replace = {"np.sum((v - m) ^ 2)", "np.sum(np.abs(v - m))"},
      explain = "The distances are to be squared before they are added up.",
    },
  },
}
