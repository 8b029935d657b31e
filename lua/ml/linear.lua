-- SPDX-License-Identifier: Apache-2.0
-- LinearRegression: least squares.
local use = ...
local object, data = use("object"), use("data")
local metrics = use("metrics")
local np = use.np

-- How much a column of X may be a sum of others before the sums of products,
-- which square that, have lost half of f64's digits.
local WELL = 1e-5

-- coef (features, targets), rank, singular values; of centered x and y.
local function solve(x, y, tol)
  local coef, _, rank, singular = np.linalg.lstsq(x, y, tol)
  return coef, rank, singular
end

-- The same where x is on a device: from x's products with itself, which a small
-- matrix holds; nil where they are not exact enough for that.
local function solve_products(x, y, tol)
  local wide = data.plain(x, "f64")
  local target = y.ndim == 1 and y:reshape(-1, 1) or y
  local squares, turned = np.linalg.eigh(data.host(np.matmul(wide.T, wide)))
  local singular = np.sqrt(np.maximum(squares, 0))
  local largest = singular[#singular - 1]
  if singular[0] <= math.max(WELL, tol) * largest then return nil end
  local products = data.host(np.matmul(wide.T, target))
  local coef = np.matmul(turned, np.matmul(turned.T, products)
    / squares:reshape(-1, 1))
  if y.ndim == 1 then coef = coef:reshape(-1) end
  return coef, #singular, np.flip(singular)
end

local function solve_anywhere(x, y, tol)
  if data.is_device(x) then
    local coef, rank, singular = solve_products(x, y, tol)
    if coef then return coef, rank, singular end
    x, y = data.plain(data.host(x), "f64"), data.host(y)
  end
  return solve(x, y, tol)
end

local methods = {}

-- A number, or an array of one for each target.
local function intercept_of(x_mean, y_mean, coef)
  local out = y_mean - np.matmul(x_mean, coef)
  return use.is_array(out) and out.ndim == 0 and out:tolist() or out
end

function methods.fit(self, X, y)
  local p = object.parameters(self)
  local x, is_single = data.matrix(X, "LinearRegression")
  local target = data.target(y, "LinearRegression", x)
  local features = x.shape[2]
  local x_mean, y_mean
  if p.fit_intercept then
    x_mean, y_mean = np.mean(x, 0), np.mean(target, 0)
    x, target = x - x_mean, target - y_mean
  end
  local coef, rank, singular = solve_anywhere(x, target, p.tol)
  local intercept = 0.0
  if p.fit_intercept then
    x_mean = data.host(x_mean)
    intercept = intercept_of(x_mean, use.is_array(y_mean) and data.host(y_mean)
      or y_mean, coef)
  end
  return object.fit(self, {
    coef_ = data.like(coef.ndim == 2 and coef.T:copy() or coef, is_single),
    intercept_ = intercept, rank_ = rank, singular_ = singular,
    n_features_in_ = features,
  })
end

function methods.predict(self, X)
  local own = object.fitted(self)
  local x, is_single = data.matrix_like(X, "LinearRegression",
    own.n_features_in_)
  local coef, intercept = data.there(x, own.coef_.T), own.intercept_
  if use.is_array(intercept) then intercept = data.there(x, intercept) end
  return data.like(np.matmul(x, coef) + intercept, is_single)
end

function methods.score(self, X, y)
  return metrics.r2_score(y, self:predict(X))
end

return object.class{
  name = "LinearRegression",
  methods = methods,
  fitted = {"coef_", "intercept_", "rank_", "singular_", "n_features_in_"},
  parameters = {
    {name = "fit_intercept", default = true, check = object.truth},
    {name = "tol", default = 1e-6, check = object.not_negative},
  },
}
