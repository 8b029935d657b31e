-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Rows of length one",
  task = "unit_rows(x): each row of x divided by its length, and the lengths; a"
    .. " row of zeros stays.",
  minutes = 10,
  entry = "unit_rows",
  signature = {
    {"in", "f64[]", "x"},
    {"out", "f64[]", "unit"},
    {"out", "f64[]", "length"},
  },
  reference = function(args)
    local rows = #args.length
    local columns = #args.x // rows
    for r = 0, rows - 1 do
      local sum = 0
      for i = r * columns, (r + 1) * columns - 1 do
        sum = sum + args.x[i] * args.x[i]
      end
      args.length[r] = math.sqrt(sum)
      for i = r * columns, (r + 1) * columns - 1 do
        args.unit[i] = sum > 0 and args.x[i] / args.length[r] or 0
      end
    end
  end,
  tolerance = {ulp = 2,
    reason = "the numbers are multiples of 1/8 within 8, so that sums of"
      .. " squares"
      .. " are exact; a root and a division round once each"},
  make = function(case, rng)
    local count = case.rows * case.columns
    local x = rng:steps(count, -8, 8, 1 / 8)
    for r = 0, case.rows - 1, case.zeros or case.rows do
      if case.zeros then
        for i = r * case.columns, (r + 1) * case.columns - 1 do x[i] = 0 end
      end
    end
    local shape = {case.rows, case.columns}
    return {x = x, unit = count, length = case.rows}, {x = shape, unit = shape}
  end,
  cases = {
    {name = "4 rows of 3", rows = 4, columns = 3},
    {name = "one number", rows = 1, columns = 1},
    {name = "as many rows as columns", rows = 5, columns = 5},
    {name = "every other row zeros", rows = 6, columns = 4, zeros = 2},
    {name = "one column", rows = 7, columns = 1},
    {name = "large", rows = 61, columns = 203, hidden = true},
  },
  hints = {
    "np.sum(x * x, {axis = 1, keepdims = true}) has one number for each row,"
      .. " and"
      .. " stands as a column, which stretches along the rows.",
    "Divide by np.where(length:gt(0), length, 1): a row of zeros by 1 stays.",
    "np.squeeze(length, {axis = 1}) makes (rows) of (rows, 1).",
  },
  editorial = "Two arrays as large as x, its squares and the result; all else"
    .. " has one number a row. np.linalg.norm(x, {axis = 1, keepdims = true})"
    .. " gives the lengths in one call. The square of a number above 1.35e154"
    .. " is too large for f64: where such come, divide each row by its largest"
    .. " distance from 0 first. They do not come here.",
  mutants = {
    {
      name = "not-a-number",
      replace = {"np.where(length:gt(0), length, 1)", "length"},
      explain = "A row of zeros was divided by 0, which is no number: such a"
        .. " row"
        .. " is to stay.",
    },
    {
      name = "no-root",
      replace = {"np.sqrt(np.sum(x * x, {axis = 1, keepdims = true}))",
        "np.sum(x * x, {axis = 1, keepdims = true})"},
      explain = "That is the square of the length: the root is missing.",
    },
    {
      name = "sum-of-sizes",
      replace = {"np.sqrt(np.sum(x * x, {axis = 1, keepdims = true}))",
        "np.sum(np.abs(x), {axis = 1, keepdims = true})"},
      explain = "Absolute values were added. The length is the root of the"
        .. " sum of"
        .. " the squares.",
    },
    {
      name = "mean-for-sum",
      replace = {"np.sqrt(np.sum(x * x", "np.sqrt(np.mean(x * x"},
      explain = "The sum of the squares was divided by their number, as np.mean"
        .. " does it, and the length is too small.",
    },
    {
      name = "whole-length",
      replace = {"np.sqrt(np.sum(x * x, {axis = 1, keepdims = true}))",
        "np.sqrt(np.sum(x * x)) + np.zeros({#x, 1})"},
      explain = "Every row was divided by the length of all rows together. Each"
        .. " has its own: axis = 1.",
    },
  },
}
