-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Rows and columns of a report",
  task = "pivot(row, column, value, rows, columns): the mean and the number of"
    .. " the values of each cell.",
  needs = {"bank"},
  minutes = 20,
  entry = "pivot",
  signature = {
    {"in", "i32[]", "row"},
    {"in", "i32[]", "column"},
    {"in", "f64[]", "value"},
    {"value", "i32", "rows"},
    {"value", "i32", "columns"},
    {"out", "f64[]", "mean"},
    {"out", "i64[]", "count"},
  },
  reference = function(args)
    local cells, sum = args.rows * args.columns, {}
    for c = 0, cells - 1 do args.count[c], sum[c] = 0, 0 end
    for i = 0, #args.value - 1 do
      if args.row[i] >= 0 and args.column[i] >= 0 then
        local c = args.row[i] * args.columns + args.column[i]
        args.count[c] = args.count[c] + 1
        sum[c] = sum[c] + args.value[i]
      end
    end
    for c = 0, cells - 1 do args.mean[c] = sum[c] / args.count[c] end
  end,
  tolerance = {ulp = 1, allow_nan = true,
    reason = "values are multiples of 1/4 within 1000, so that sums of 3000 of"
      .. " them are exact, and a division rounds once"},
  make = function(case, rng)
    local from, cells = case.missing and -1 or 0, case.rows * case.columns
    local shape = {case.rows, case.columns}
    return {
      row = rng:ints(case.n, from, (case.used or case.rows) - 1),
      column = rng:ints(case.n, from, case.columns - 1),
      value = rng:steps(case.n, -1000, 1000, 1 / 4),
      rows = case.rows, columns = case.columns, mean = cells, count = cells,
    }, {mean = shape, count = shape}
  end,
  cases = {
    {name = "20 values in 3 x 4 cells", n = 20, rows = 3, columns = 4},
    {name = "one value", n = 1, rows = 1, columns = 1},
    {name = "more columns than rows", n = 60, rows = 2, columns = 9},
    {name = "cells without a value", n = 12, rows = 7, columns = 5, used = 4},
    {name = "places that are missing", n = 80, rows = 3, columns = 3,
      missing = true},
    {name = "one column", n = 30, rows = 6, columns = 1},
    {name = "a year's report", n = 3000, rows = 12, columns = 31,
      missing = true, hidden = true},
  },
  hints = {
    "Two numbers that say where become one: row * columns + column counts"
      .. " through the cells, line by line.",
    "np.bincount(cell, {minlength = m}) counts, and np.bincount(cell, value, m)"
      .. " adds up; m is the number of cells, so that the last ones are there.",
    "A mask leaves out what is missing: np.greater_equal(row, 0) and the same"
      .. " of column, joined by &; cell[mask] and value[mask] go together.",
    "0 / 0 is NaN, which is what a cell without values is to have.",
  },
  editorial = "Two walks over the values and a few numbers a cell: nothing is"
    .. " sorted. A groupby of two keys is the same with row * columns + column"
    .. " as its key, and so frame does it. With a thousand rows and a thousand"
    .. " columns most cells are empty: then a hash table keeps those that are"
    .. " not, as lesson 51 has it.",
  mutants = {
    {
      name = "rows-for-columns",
      replace = {"row * columns + column", "row * rows + column"},
      explain = "A row of the report has as many cells as there are columns:"
        .. " row * columns + column. Yours fit only where both are equal.",
    },
    {
      name = "column-first",
      replace = {"row * columns + column", "column * rows + row"},
      explain = "The cells were counted column by column, and the array lies"
        .. " row by row.",
    },
    {
      name = "zeros-for-nobody",
      replace = {"(sums / counts)", "(sums / np.maximum(counts, 1))"},
      explain = "A cell without values has the mean 0 here. Nobody sold"
        .. " anything there: it is to be NaN, which a mean of 0 is not.",
    },
    {
      name = "sum-for-mean",
      replace = {"(sums / counts)", "sums"},
      explain = "Those are the sums: divide by the counts.",
    },
    {
      name = "cell-before",
      replace = {"np.greater_equal(row, 0) & np.greater_equal(column, 0)",
        "np.greater_equal(row * columns + column, 0)"},
      explain = "A missing column, -1, was taken as a place: it is the last"
        .. " cell of the row above. Ask row and column each.",
    },
    {
      name = "missing-is-first",
      replace = {[[
np.greater_equal(row, 0) & np.greater_equal(column, 0)
  local cell = (row * columns + column)[is_there]
]], [[
np.greater_equal(row, -1)
  local cell = np.maximum(row, 0) * columns + np.maximum(column, 0)
]]},
      explain = "What is missing was put into the first row or column. It"
        .. " belongs nowhere: leave it out.",
    },
  },
}
