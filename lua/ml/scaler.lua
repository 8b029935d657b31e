-- SPDX-License-Identifier: Apache-2.0
-- StandardScaler: each feature with mean 0 and variance 1.
local use = ...
local object, data = use("object"), use("data")
local np = use.np

local methods = {}

-- Features that are constant but for rounding are not divided.
local function scales_of(variance, mean, n)
  local eps = np.finfo("f64").eps
  local bound = variance * (n * eps) + (mean * (n * eps)) ^ 2
  return np.where(np.less_equal(variance, bound), 1.0, np.sqrt(variance))
end

function methods.fit(self, X)
  local p = object.parameters(self)
  local x = data.matrix(X, "StandardScaler")
  local wide = data.plain(x, "f64")
  local mean, variance = data.host(np.mean(wide, 0)), nil
  if p.with_std then variance = data.host(np.var(wide, 0)) end
  return object.fit(self, {
    mean_ = mean,
    var_ = variance,
    scale_ = variance and scales_of(variance, mean, x.shape[1]),
    n_samples_seen_ = x.shape[1], n_features_in_ = x.shape[2],
  })
end

local function fitted_to(self, X)
  local own, p = object.fitted(self), object.parameters(self)
  local x, is_single = data.matrix_like(X, "StandardScaler",
    own.n_features_in_)
  return x, is_single, p.with_mean and data.there(x, own.mean_),
    own.scale_ and data.there(x, own.scale_)
end

function methods.transform(self, X)
  local x, is_single, mean, scale = fitted_to(self, X)
  if mean then x = x - mean end
  if scale then x = x / scale end
  return data.like(x, is_single)
end

function methods.inverse_transform(self, X)
  local x, is_single, mean, scale = fitted_to(self, X)
  if scale then x = x * scale end
  if mean then x = x + mean end
  return data.like(x, is_single)
end

function methods.fit_transform(self, X) return self:fit(X):transform(X) end

return object.class{
  name = "StandardScaler",
  methods = methods,
  fitted = {"mean_", "var_", "scale_", "n_samples_seen_", "n_features_in_"},
  parameters = {
    {name = "with_mean", default = true, check = object.truth},
    {name = "with_std", default = true, check = object.truth},
  },
}
