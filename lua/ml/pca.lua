-- SPDX-License-Identifier: Apache-2.0
-- PCA: the directions in which rows differ most.
local use = ...
local mistakes, object = use("shared/mistakes"), use("object")
local data = use("data")
local np = use.np
local fail = mistakes.fail

-- ---- All components: directions as rows, variances, singular values ----

-- By the singular values of the centered rows.
local function by_svd(x, mean)
  local _, singular, directions = np.linalg.svd(x - mean,
    {full_matrices = false})
  return directions, singular ^ 2 / (x.shape[1] - 1), singular
end

-- By the covariance of the features, which is small where rows are many,
-- wherever the rows are.
local function by_covariance(x, mean)
  local n = x.shape[1]
  local covariance = data.host(data.products(x, mean)) / (n - 1)
  local variances, turned = np.linalg.eigh(covariance)
  variances = np.maximum(np.flip(variances), 0)
  local count = math.min(n, x.shape[2])
  variances = variances[(":%d"):format(count)]
  return np.flip(turned, 1).T[(":%d"):format(count)]:copy(), variances,
    np.sqrt(variances * (n - 1))
end

-- Each direction with its largest part above zero, as scikit-learn has it since
-- 1.5 (svd_flip by the directions alone).
local function turned_up(directions)
  local out = directions:copy()
  local at = np.argmax(np.abs(out), 1)
  for i = 0, out.shape[1] - 1 do
    if out[i][at[i]] < 0 then out[i] = -out[i] end
  end
  return out
end

-- ---- How many ----

local function check_count(count, x, solver)
  local most = math.min(x.shape[1], x.shape[2])
  if count and math.type(count) == "integer" and count > most then
    fail("n_components=%d must be between 0 and min(n_samples, n_features)=%d"
      .. ' with svd_solver="%s"', count, most, solver)
  end
end

-- As many as explain more than this part of all variance, or a number of them.
local function count_of(wanted, ratio)
  if wanted == nil then return #ratio end
  if math.type(wanted) == "integer" then return wanted end
  return np.searchsorted(np.cumsum(ratio), wanted, {side = "right"}) + 1
end

local function solver_of(p, x)
  if data.is_device(x) then return "covariance_eigh" end
  if p.svd_solver ~= "auto" then return p.svd_solver end
  local is_tall = x.shape[2] <= 1000 and x.shape[1] >= 10 * x.shape[2]
  return is_tall and "covariance_eigh" or "full"
end

-- ---- The estimator ----

local methods = {}

local function first(a, count) return a[(":%d"):format(count)]:copy() end

-- The mean variance of the directions that are left out.
local function noise_of(variances, count)
  if count >= #variances then return 0.0 end
  return np.mean(variances[("%d:"):format(count)])
end

function methods.fit(self, X)
  local p = object.parameters(self)
  local x, is_single = data.matrix(X, "PCA")
  local solver = solver_of(p, x)
  check_count(p.n_components, x, solver)
  if x.shape[1] < 2 then
    fail("PCA: one sample has no variance: X has two rows or more")
  end
  local mean = np.mean(x, 0)
  local make = solver == "full" and by_svd or by_covariance
  local directions, variances, singular = make(x, mean)
  local ratio = variances / np.sum(variances)
  local count = math.min(count_of(p.n_components, ratio), #ratio)
  local function result(a) return data.like(first(a, count), is_single) end
  return object.fit(self, {
    components_ = result(turned_up(directions)),
    explained_variance_ = result(variances),
    explained_variance_ratio_ = result(ratio),
    singular_values_ = result(singular),
    mean_ = data.like(data.host(mean), is_single),
    noise_variance_ = noise_of(variances, count), n_components_ = count,
    n_samples_ = x.shape[1], n_features_in_ = x.shape[2],
  })
end

-- What whitening divides by.
local function scale_of(own)
  local least = np.finfo("f64").eps
  return np.maximum(np.sqrt(own.explained_variance_:astype("f64")), least)
end

function methods.transform(self, X)
  local own, p = object.fitted(self), object.parameters(self)
  local x, is_single = data.matrix_like(X, "PCA", own.n_features_in_)
  local out = np.matmul(x - data.there(x, own.mean_),
    data.there(x, own.components_.T))
  if p.whiten then out = out / data.there(x, scale_of(own)) end
  return data.like(out, is_single)
end

function methods.inverse_transform(self, X)
  local own, p = object.fitted(self), object.parameters(self)
  local x, is_single = data.matrix(X, "PCA")
  if x.shape[2] ~= own.n_components_ then
    fail("PCA: X has %d columns, and there are %d components", x.shape[2],
      own.n_components_)
  end
  if p.whiten then x = x * data.there(x, scale_of(own)) end
  return data.like(np.matmul(x, data.there(x, own.components_))
    + data.there(x, own.mean_), is_single)
end

function methods.fit_transform(self, X) return self:fit(X):transform(X) end

local function is_components(v)
  return v == nil or object.is_count(v)
    or math.type(v) == "float" and v > 0 and v < 1
end

return object.class{
  name = "PCA",
  positional = "n_components",
  methods = methods,
  fitted = {"components_", "explained_variance_", "explained_variance_ratio_",
            "singular_values_", "mean_", "noise_variance_", "n_components_",
            "n_samples_", "n_features_in_"},
  parameters = {
    {name = "n_components", default = nil, check = object.must(
      "a whole number, 1 or more, a part of all variance between 0.0 and 1.0,"
      .. " or nil for all", is_components)},
    {name = "whiten", default = false, check = object.truth},
    {name = "svd_solver", default = "auto",
     check = object.word("auto", "full", "covariance_eigh")},
  },
}
