-- SPDX-License-Identifier: Apache-2.0
-- NearestNeighbors, and KNeighborsClassifier by their votes: all distances are
-- looked at, which is exact, as scikit-learn's trees are.
local use = ...
local mistakes, object = use("shared/mistakes"), use("object")
local data, labels, loops_of = use("data"), use("labels"), use("rows")
local metrics = use("metrics")
local is_options = use("shared/objects").is_options
local np = use.np
local fail = mistakes.fail

local n_neighbors = {name = "n_neighbors", default = 5,
                     check = object.positive}

-- Distances and places of the k nearest; without X of each sample that was
-- given to fit, itself not among them.
local function nearest_of(self, class, X, k)
  local own = object.fitted(self)
  local x, q, is_single = own._x, nil, own._is_single
  k = k or object.parameters(self).n_neighbors
  object.positive(class, "n_neighbors", k)
  if X ~= nil then
    q, is_single = data.matrix_like(X, class, own.n_features_in_)
    q = data.plain(data.beside(x, q), x.dtype)
  end
  local n = own.n_samples_fit_
  if k > n or (X == nil and k == n) then
    fail("Expected n_neighbors %s n_samples_fit, but n_neighbors = %d,"
      .. " n_samples_fit = %d", X and "<=" or "<", k, n)
  end
  local distances, places = loops_of(x).neighbors(x, q or x, k, X == nil)
  return data.like(distances, is_single), places
end

local function fit_rows(class, X)
  local x, is_single = data.matrix(X, class)
  return {_x = x, _is_single = is_single, n_samples_fit_ = x.shape[1],
          n_features_in_ = x.shape[2]}
end

-- kneighbors([X] [, k] [, {n_neighbors =, return_distance =}])
local function kneighbors_of(class)
  return function(self, X, k, options)
    if is_options(X) then
      X, k, options = nil, nil, X
    elseif type(k) == "table" then
      k, options = nil, k
    end
    local o = mistakes.options(class .. ": kneighbors", options,
      {"n_neighbors", "return_distance"})
    local distances, places = nearest_of(self, class, X, k or o.n_neighbors)
    if o.return_distance == false then return places end
    return distances, places
  end
end

-- ---- NearestNeighbors ----

local nearest = {kneighbors = kneighbors_of("NearestNeighbors")}

function nearest.fit(self, X)
  return object.fit(self, fit_rows("NearestNeighbors", X))
end

local NearestNeighbors = object.class{
  name = "NearestNeighbors",
  methods = nearest,
  fitted = {"n_samples_fit_", "n_features_in_"},
  parameters = {n_neighbors},
}

-- ---- KNeighborsClassifier ----

local classifier = {kneighbors = kneighbors_of("KNeighborsClassifier")}

function classifier.fit(self, X, y)
  local fitted = fit_rows("KNeighborsClassifier", X)
  local classes, codes = labels.encode({y}, "KNeighborsClassifier", "y")
  labels.check_discrete(classes)
  data.check_lengths(fitted.n_samples_fit_, #codes[1])
  fitted.classes_, fitted._codes = classes, codes[1]
  return object.fit(self, fitted)
end

-- How much each neighbour counts: alike, or by how near it is. One at distance
-- 0 counts alone.
local function weights_of(self, distances)
  if self.weights == "uniform" then return np.ones(distances.shape, "f64") end
  distances = data.host(distances):astype("f64")
  local is_zero = np.equal(distances, 0)
  local has_zero = np.any(is_zero, 1):reshape(-1, 1)
  return np.where(has_zero, is_zero:astype("f64"),
    1 / np.where(is_zero, 1.0, distances))
end

function classifier.predict_proba(self, X)
  local own = object.fitted(self)
  local distances, places = nearest_of(self, "KNeighborsClassifier", X)
  local weights = weights_of(self, distances)
  local codes = own._codes[data.host(places)]
  local votes = {}
  for c = 0, #own.classes_ - 1 do
    votes[c + 1] = np.sum(np.where(np.equal(codes, c), weights, 0.0), 1)
  end
  local all = np.stack(votes, 1)
  return all / np.sum(all, 1):reshape(-1, 1)
end

function classifier.predict(self, X)
  local own = object.fitted(self)
  return labels.decode(own.classes_, np.argmax(self:predict_proba(X), 1))
end

function classifier.score(self, X, y)
  return metrics.accuracy_score(y, self:predict(X))
end

local KNeighborsClassifier = object.class{
  name = "KNeighborsClassifier",
  positional = "n_neighbors",
  methods = classifier,
  fitted = {"classes_", "n_samples_fit_", "n_features_in_"},
  parameters = {
    n_neighbors,
    {name = "weights", default = "uniform",
     check = object.word("uniform", "distance")},
  },
}

return {NearestNeighbors = NearestNeighbors,
        KNeighborsClassifier = KNeighborsClassifier}
