-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Uneven parts",
  task = "parallel_step(x, y, w, ends, rate): one training step whose rows are"
    .. " shared out unevenly, as if one worker had them all.",
  minutes = 20,
  entry = "parallel_step",
  signature = {
    {"in", "f64[]", "x"},
    {"in", "f64[]", "y"},
    {"in", "f64[]", "w"},
    {"in", "i32[]", "ends"},
    {"value", "f64", "rate"},
    {"out", "f64[]", "brought"},
    {"out", "f64[]", "new"},
  },
  reference = function(args)
    local d, n, first = #args.w, #args.y, 0
    local sum = {}
    for j = 0, d - 1 do sum[j] = 0 end
    for k = 0, #args.ends - 1 do
      local row = k * (d + 1)
      for j = 0, d do args.brought[row + j] = 0 end
      for i = first, args.ends[k] - 1 do
        local off = -args.y[i]
        for j = 0, d - 1 do off = off + args.x[i * d + j] * args.w[j] end
        for j = 0, d - 1 do
          local more = off * args.x[i * d + j]
          args.brought[row + j] = args.brought[row + j] + more
          sum[j] = sum[j] + more
        end
        args.brought[row + d] = args.brought[row + d] + 1
      end
      first = args.ends[k]
    end
    for j = 0, d - 1 do
      args.new[j] = args.w[j] - args.rate * 2 / n * sum[j]
    end
  end,
  tolerance = {abs = 1e-9, reason = "the sums are of multiples of 1/512 and"
    .. " exact in any order; the last line rounds numbers below 10^4 twice"},
  make = function(case, rng)
    local ends, d = case.ends, case.columns
    local n, list = ends[#ends], rng:full(#ends, 0)
    for k, e in ipairs(ends) do list[k - 1] = e end
    return {
      x = rng:steps(n * d, -4, 4, 1 / 8), y = rng:steps(n, -8, 8, 1 / 64),
      w = rng:steps(d, -2, 2, 1 / 8), ends = list, rate = case.rate,
      brought = #ends * (d + 1), new = d,
    }, {x = {n, d}, brought = {#ends, d + 1}}
  end,
  cases = {
    {name = "3, 1 and 8 rows", columns = 2, ends = {3, 4, 12}, rate = 0.125},
    {name = "one row each", columns = 3, ends = {1, 2, 3, 4}, rate = 0.5},
    {name = "one without rows", columns = 2, ends = {5, 5, 7}, rate = 0.25},
    {name = "one worker", columns = 4, ends = {9}, rate = 0.0625},
    {name = "the first has none", columns = 1, ends = {0, 3, 64}, rate = 0.25},
    {name = "many", columns = 5, ends = {40, 41, 97, 97, 300, 301, 307},
      rate = 0.1, hidden = true},
  },
  hints = {
    "A worker with one row counts in the mean of means as much as one with"
      .. " eight. Which sum, and which count, would one worker with all rows"
      .. " have?",
    "Sums of sums are right, however uneven the parts are: np.sum(brought, 0)"
      .. " is what the all-reduce gives, the number of rows in its last"
      .. " column.",
    "The gradient of the mean of (answer - y)^2 is 2 / n times the sum of"
      .. " (answer - y) * row. Divide once, at the end.",
  },
  editorial = "d + 1 numbers a worker travel, however many rows there are. The"
    .. " count travels in the same message as the sums, so that nobody has to"
    .. " know how the rows were dealt out, and a worker without rows does no"
    .. " harm. The same trick makes means, variances and losses right on any"
    .. " number of devices: sum and count travel, one division behind them.",
  mutants = {
    {
      name = "mean-of-means",
      replace = {"w - sum[\":-1\"] * (2 * rate / sum[d])",
        "w - np.sum(brought[\":, :-1\"] / brought[\":, -1:\"], 0)"
        .. " * (2 * rate / workers)"},
      explain = "The mean of the workers' means: a worker with one row counts"
        .. " as much as one with eight, and one with none brings 0 / 0.",
    },
    {
      name = "by-workers",
      replace = {"2 * rate / sum[d]", "2 * rate / workers"},
      explain = "The sum over all rows is divided by the number of workers. It"
        .. " is a mean over rows.",
    },
    {
      name = "the-sum",
      replace = {"(2 * rate / sum[d])", "(2 * rate)"},
      explain = "That is the gradient of the sum, not of the mean: the step"
        .. " grows with the number of rows.",
    },
    {
      name = "half",
      replace = {"(2 * rate / sum[d])", "(rate / sum[d])"},
      explain = "The derivative of a square has a factor 2.",
    },
    {
      name = "uphill",
      replace = {"w - sum", "w + sum"},
      explain = "The gradient points to where the error grows: the step goes"
        .. " the other way.",
    },
    {
      name = "from-the-start",
      replace = {"    first = ends[k]\n", ""},
      explain = "Each worker begins with row 0 and takes the rows of those"
        .. " before it once more.",
    },
    {
      name = "ends-as-counts",
      replace = {"brought[k][d] = ends[k] - first", "brought[k][d] = ends[k]"},
      explain = "ends[k] is where the rows of worker k end. How many it has is"
        .. " that less where they begin.",
    },
    {
      name = "answers-alone",
      replace = {"np.matmul(x[rows], w) - y[rows]", "np.matmul(x[rows], w)"},
      explain = "What counts is how far the answer is off: answer - y.",
    },
  },
}
