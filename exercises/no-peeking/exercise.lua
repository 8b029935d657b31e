-- SPDX-License-Identifier: Apache-2.0
local function of_column(x, rows, columns, c)
  local sum, squares = 0, 0
  for i = 0, rows - 1 do sum = sum + x[i * columns + c] end
  local mean = sum / rows
  for i = 0, rows - 1 do
    squares = squares + (x[i * columns + c] - mean) ^ 2
  end
  local deviation = math.sqrt(squares / rows)
  return mean, deviation > 0 and deviation or 1
end

return {
  kind = "lua",
  title = "No peeking",
  task = "scaled(train, test, columns): both parts with columns of mean 0 and"
    .. " deviation 1, by what train alone tells.",
  needs = {"no-loops"},
  minutes = 15,
  entry = "scaled",
  signature = {
    {"in", "f64[]", "train"},
    {"in", "f64[]", "test"},
    {"out", "f64[]", "train_scaled"},
    {"out", "f64[]", "test_scaled"},
    {"value", "i32", "columns"},
  },
  reference = function(args)
    local columns = args.columns
    local rows, others = #args.train // columns, #args.test // columns
    for c = 0, columns - 1 do
      local mean, scale = of_column(args.train, rows, columns, c)
      for i = 0, rows - 1 do
        local k = i * columns + c
        args.train_scaled[k] = (args.train[k] - mean) / scale
      end
      for i = 0, others - 1 do
        local k = i * columns + c
        args.test_scaled[k] = (args.test[k] - mean) / scale
      end
    end
  end,
  tolerance = {rel = 1e-9, abs = 1e-9,
    reason = "sums of at most 400 terms in any order, each within 2^-53 of its"
      .. " size, of columns that spread as far as they are large; a constant"
      .. " one is a multiple of 1/4, whose mean is exact"},
  make = function(case, rng)
    local d = case.columns
    local train = rng:floats(case.train * d, -4, 12)
    local test = rng:floats(case.test * d, case.low or -4, case.high or 12)
    for i = 0, case.train - 1 do
      if case.constant then train[i * d + case.constant] = 2.25 end
    end
    return {
      train = train, test = test, columns = d,
      train_scaled = case.train * d, test_scaled = case.test * d,
    }, {train = {case.train, d}, test = {case.test, d},
        train_scaled = {case.train, d}, test_scaled = {case.test, d}}
  end,
  cases = {
    {name = "12 rows and 4, 3 columns", train = 12, test = 4, columns = 3},
    {name = "a test of one row", train = 20, test = 1, columns = 2},
    {name = "a test elsewhere", train = 15, test = 5, columns = 2, low = 40,
      high = 60},
    {name = "more columns than rows", train = 4, test = 3, columns = 9},
    {name = "a constant column", train = 8, test = 4, columns = 3,
      constant = 1},
    {name = "two rows, one column", train = 2, test = 2, columns = 1},
    {name = "large", train = 400, test = 100, columns = 6, constant = 4,
      hidden = true},
  },
  hints = {
    "np.mean(train, 0) and np.std(train, 0) have one number for each column,"
      .. " and stretch over the rows.",
    "The test's rows are not asked: they get train's means and deviations, and"
      .. " need not have mean 0 then.",
    "np.where(np.greater(deviation, 0), deviation, 1) divides a constant column"
      .. " by 1.",
  },
  editorial = "Four walks over the table and two numbers a column. Whoever"
    .. " scales all rows and parts them afterwards has looked at the test: its"
    .. " score is too good, a little, and nobody sees why. ml.StandardScaler"
    .. " keeps the two apart by its names: fit with train, transform both.",
  mutants = {
    {
      name = "test-by-itself",
      replace = {"(test - mean) / scale",
        "(test - np.mean(test, 0)) / np.where(np.greater(np.std(test, 0), 0),"
        .. " np.std(test, 0), 1)"},
      explain = "The test was scaled by its own means and deviations. A row"
        .. " that comes alone has none, and what the two parts' numbers mean"
        .. " is no longer the same.",
    },
    {
      name = "peeked",
      replace = {[[
  local mean = np.mean(train, 0)
  local deviation = np.std(train, 0)]], [[
  local all = np.concatenate({train, test})
  local mean = np.mean(all, 0)
  local deviation = np.std(all, 0)]]},
      explain = "The means are those of all rows, and the test's are among"
        .. " them: it is to stand for rows that nobody has seen.",
    },
    {
      name = "one-mean",
      replace = {"np.mean(train, 0)", "np.mean(train)"},
      explain = "One mean was taken of the whole table. Each column has its"
        .. " own: np.mean(train, 0).",
    },
    {
      name = "variance",
      replace = {"np.std(train, 0)", "np.var(train, 0)"},
      explain = "That divides by the variance. The deviation is its root.",
    },
    {
      name = "constant-divided",
      replace = {"np.where(np.greater(deviation, 0), deviation, 1)",
        "deviation"},
      explain = "A constant column has the deviation 0, and 0 / 0 is NaN: leave"
        .. " it undivided.",
    },
    {
      name = "sample-deviation",
      replace = {"np.std(train, 0)", "np.std(train, {axis = 0, ddof = 1})"},
      explain = "That deviation divides by one less than the number of rows, as"
        .. " pandas does. np.std and scikit-learn's scaler divide by the"
        .. " number.",
    },
    {
      name = "train-left",
      replace = {"(train - mean) / scale, ", "train, "},
      explain = "train came back as it was. Both parts are to be scaled.",
    },
  },
}
