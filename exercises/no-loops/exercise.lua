-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Without a loop",
  task = "standardize(x): each row of x less its mean, divided by its standard"
    .. " deviation; and the deviations. No loop over elements.",
  minutes = 10,
  entry = "standardize",
  signature = {
    {"in", "f64[]", "x"},
    {"out", "f64[]", "z"},
    {"out", "f64[]", "deviation"},
  },
  reference = function(args)
    local rows = #args.deviation
    local columns = #args.x // rows
    for row = 0, rows - 1 do
      local sum, squares = 0, 0
      for i = row * columns, (row + 1) * columns - 1 do
        sum = sum + args.x[i]
      end
      local mean = sum / columns
      for i = row * columns, (row + 1) * columns - 1 do
        squares = squares + (args.x[i] - mean) ^ 2
      end
      local deviation = math.sqrt(squares / columns)
      args.deviation[row] = deviation
      for i = row * columns, (row + 1) * columns - 1 do
        args.z[i] = (args.x[i] - mean) / deviation
      end
    end
  end,
  tolerance = {rel = 1e-9, abs = 1e-9,
    reason = "sums of at most 10^5 terms in any order: an error below 10^5"
      .. " times 2^-53 of their size, and the rows spread as far as they are"
      .. " large"},
  budget = 4000000,
  make = function(case, rng)
    local count = case.rows * case.columns
    local shape = {case.rows, case.columns}
    return {
      x = rng:floats(count, -10, 10), z = count, deviation = case.rows,
    }, {x = shape, z = shape}
  end,
  cases = {
    {name = "4 sensors, 25 readings", rows = 4, columns = 25},
    {name = "one sensor", rows = 1, columns = 7},
    {name = "as many sensors as readings", rows = 12, columns = 12},
    {name = "two readings", rows = 31, columns = 2},
    {name = "many readings", rows = 3, columns = 30000},
    {name = "many sensors", rows = 211, columns = 17, hidden = true},
  },
  hints = {
    "np.mean and np.std take the axis that goes away: {axis = 1}.",
    "Of a (4, 25) array the means of the rows are (4,), which stretches along"
      .. " the wrong axis: {keepdims = true} leaves (4, 1).",
    "(x - mean) / deviation works on all elements at once; np.squeeze takes the"
      .. " axis of one element away.",
  },
  editorial = "Three calls, a difference and a quotient. Two arrays as large"
    .. " as x are made, x - mean and z, and one inside np.std, which finds the"
    .. " mean again. Next: keep x - mean, and take the deviation from the mean"
    .. " of its squares: one mean less. Lesson 35-jit melts steps that go"
    .. " element by element into one kernel.",
  mutants = {
    {
      name = "columns",
      replace = {"np.mean(x, {axis = 1, keepdims = true})",
        "np.mean(x, {axis = 0, keepdims = true})"},
      explain = "Axis 0 goes away: that is the mean of each reading over all"
        .. " sensors. A row's mean is over its columns, axis 1.",
    },
    {
      name = "whole-mean",
      replace = {"np.mean(x, {axis = 1, keepdims = true})", "np.mean(x)"},
      explain = "Without an axis np.mean is the mean of all elements, one"
        .. " number for every sensor.",
    },
    {
      name = "variance",
      replace = {"local deviation = np.std(", "local deviation = np.var("},
      explain = "np.var is the square of the deviation: np.std is its root.",
    },
    {
      name = "sample-deviation",
      replace = {"np.std(x, {axis = 1, keepdims = true})",
        "np.std(x, {axis = 1, keepdims = true, ddof = 1})"},
      explain = "With ddof = 1 the squares are divided by one less than there"
        .. " are: np.std alone divides by their number.",
    },
    {
      name = "mean-left-in",
      replace = {"(x - mean) / deviation", "x / deviation"},
      explain = "The mean is still in there: each row of the result has to have"
        .. " the mean 0.",
    },
  },
}
