-- SPDX-License-Identifier: Apache-2.0
-- ml.metrics: how good a result is.
local use = ...
local mistakes, object = use("shared/mistakes"), use("object")
local data, labels, loops_of = use("data"), use("labels"), use("rows")
local np = use.np
local fail = mistakes.fail
local M = {}

-- ---- Of predicted numbers ----

-- Both as arrays of f64 with one axis or two, where y_true is.
local function both(name, y_true, y_pred)
  local a = data.target(y_true, name, nil, "y_true")
  local b = data.target(y_pred, name, nil, "y_pred")
  if a.shape[1] == 0 then
    fail("Found array with 0 sample(s) (shape=%s) while a minimum of 1 is"
      .. " required", data.shape_text(a))
  end
  data.check_lengths(a.shape[1], b.shape[1])
  if (a.shape[2] or 1) ~= (b.shape[2] or 1) then
    fail("y_true and y_pred have different number of output (%d!=%d)",
      a.shape[2] or 1, b.shape[2] or 1)
  end
  a = data.plain(a, "f64")
  b = data.plain(data.beside(a, b), "f64")
  if a.ndim ~= b.ndim then
    a, b = a:reshape(a.shape[1], -1), b:reshape(b.shape[1], -1)
  end
  return a, b
end

--- The mean of the squared differences.
function M.mean_squared_error(y_true, y_pred)
  local a, b = both("mean_squared_error", y_true, y_pred)
  return data.number(np.mean((a - b) ^ 2))
end

--- Its root, of each output, then their mean.
function M.root_mean_squared_error(y_true, y_pred)
  local a, b = both("root_mean_squared_error", y_true, y_pred)
  return data.number(np.mean(np.sqrt(np.mean((a - b) ^ 2, 0))))
end

--- The mean of the differences without signs.
function M.mean_absolute_error(y_true, y_pred)
  local a, b = both("mean_absolute_error", y_true, y_pred)
  return data.number(np.mean(np.abs(a - b)))
end

-- 1 - left / all; where all is zero 1 for what is exact, else 0.
local function r2_of(left, all)
  if all ~= 0 then return 1 - left / all end
  return left == 0 and 1.0 or 0.0
end

--- How much of y_true's variance the prediction explains; of several outputs
--- the mean.
function M.r2_score(y_true, y_pred)
  local a, b = both("r2_score", y_true, y_pred)
  if a.shape[1] < 2 then
    use.warn("r2_score: R^2 score is not well-defined with less than two"
      .. " samples.")
    return np.nan
  end
  local n = a.shape[1]
  a, b = a:reshape(n, -1), b:reshape(n, -1)
  local left = data.host(np.sum((a - b) ^ 2, 0))
  local all = data.host(np.sum((a - np.mean(a, 0)) ^ 2, 0))
  local sum = 0
  for k = 0, #left - 1 do sum = sum + r2_of(left[k], all[k]) end
  return sum / #left
end

-- ---- Of predicted classes ----

local function codes_of(name, y_true, y_pred)
  local classes, codes = labels.encode({y_true, y_pred}, name, "y")
  data.check_lengths(#codes[1], #codes[2])
  return codes[1], codes[2], classes
end

--- The part of the samples whose class is right; how many for {normalize =
--- false}.
function M.accuracy_score(y_true, y_pred, options)
  local o = mistakes.options("accuracy_score", options, {"normalize"})
  local a, b = codes_of("accuracy_score", y_true, y_pred)
  local right = np.sum(np.equal(a, b))
  if o.normalize == false then return right end
  return right / #a
end

--- Row i, column j: how many samples of class i were taken for class j.
function M.confusion_matrix(y_true, y_pred)
  local a, b, classes = codes_of("confusion_matrix", y_true, y_pred)
  local k = #classes
  return np.bincount(a * k + b, nil, k * k):reshape(k, k)
end

-- ---- Of clusters ----

-- Each row's distances to its own cluster's rows and to the nearest other
-- cluster's, as means; and how many rows its cluster has.
local function silhouettes(X, given, name)
  local x = data.matrix(X, name)
  local classes, codes = labels.encode({given}, name, "labels")
  data.check_lengths(x.shape[1], #codes[1])
  local n, k, own = x.shape[1], #classes, codes[1]
  if k < 2 or k > n - 1 then
    fail("Number of labels is %d. Valid values are 2 to n_samples - 1"
      .. " (inclusive)", k)
  end
  local placed = data.beside(x, own:astype("i32"))
  local sums = data.host(loops_of(x).label_distances(x, placed, k))
  local sizes = np.bincount(own, nil, k):astype("f64")
  local is_own = np.equal(np.arange(k):reshape(1, k), own:reshape(n, 1))
  local size = sizes[own]
  local near = np.sum(np.where(is_own, sums, 0.0), 1)
    / np.maximum(size - 1, 1)
  local far = np.min(np.where(is_own, np.inf, sums / sizes:reshape(1, k)), 1)
  return near, far, size
end

--- Of each row: near 1 where its cluster is much nearer than any other, below 0
--- where another is.
function M.silhouette_samples(X, given)
  local near, far, size = silhouettes(X, given, "silhouette_samples")
  local most = np.maximum(near, far)
  local out = np.where(np.equal(most, 0), 0.0,
    (far - near) / np.where(np.equal(most, 0), 1.0, most))
  return np.where(np.equal(size, 1), 0.0, out)
end

--- The mean of them; {sample_size, random_state}: of so many rows.
function M.silhouette_score(X, given, options)
  local o = mistakes.options("silhouette_score", options,
    {"sample_size", "random_state"})
  if o.sample_size == nil then
    return np.mean(M.silhouette_samples(X, given))
  end
  object.positive("silhouette_score", "sample_size", o.sample_size)
  local x = data.matrix(X, "silhouette_score")
  local _, codes = labels.encode({given}, "silhouette_score", "labels")
  data.check_lengths(x.shape[1], #codes[1])
  local rows = object.generator(o.random_state):permutation(x.shape[1])
  rows = rows[(":%d"):format(o.sample_size)]:copy()
  return np.mean(M.silhouette_samples(x[data.beside(x, rows)], codes[1][rows]))
end

-- Pairs within: sum of n (n - 1) / 2.
local function pairs_in(counts)
  counts = counts:astype("f64")
  return np.sum(counts * (counts - 1)) / 2
end

--- How alike two clusterings are, whatever their labels: 1 for the same, about
--- 0 for chance.
function M.adjusted_rand_score(labels_true, labels_pred)
  local a, ca = labels.encode({labels_true}, "adjusted_rand_score", "labels")
  local b, cb = labels.encode({labels_pred}, "adjusted_rand_score", "labels")
  data.check_lengths(#ca[1], #cb[1])
  local n = #ca[1]
  local both_in = pairs_in(np.bincount(ca[1] * #b + cb[1]))
  local in_a = pairs_in(np.bincount(ca[1], nil, #a))
  local in_b = pairs_in(np.bincount(cb[1], nil, #b))
  local all = n * (n - 1) / 2
  if all == 0 or (in_a == in_b and in_a == both_in) then return 1.0 end
  local chance = in_a * in_b / all
  return (both_in - chance) / ((in_a + in_b) / 2 - chance)
end

use.guard(M, "ml.metrics")
return M
