-- SPDX-License-Identifier: Apache-2.0
-- KMeans: Lloyd's rounds from several starts, the best of them.
local use = ...
local mistakes, object = use("shared/mistakes"), use("object")
local data, loops_of = use("data"), use("rows")
local np = use.np
local fail = mistakes.fail

-- ---- The first centers ----

-- k different rows, each as likely.
local function random_rows(loops, x, k, rng)
  local chosen = rng:permutation(x.shape[1])
  local list = {}
  for i = 1, k do list[i] = loops.row(x, chosen[i - 1]) end
  return np.stack(list)
end

-- Rows drawn with the chances `nearest` has, of which `rng` draws `count`.
local function draw(nearest, total, count, rng)
  local at = rng:random(count) * total
  local sums = np.cumsum(nearest)
  local found = data.host(np.searchsorted(sums, data.beside(sums, at)))
  return np.minimum(found, #nearest - 1)
end

-- k-means++ (Arthur, Vassilvitskii 2007), of several rows each time the one
-- that lessens the distances most.
local function far_rows(loops, x, k, rng)
  local trials = 2 + math.floor(math.log(k))
  local first = loops.row(x, rng:integers(0, x.shape[1]))
  local list = {first}
  local nearest, total = loops.closer(x, first, loops.infinities(x))
  while #list < k do
    local best, best_total, best_nearest
    local drawn = draw(nearest, total, trials, rng)
    for t = 0, trials - 1 do
      local row = loops.row(x, drawn[t])
      local closer, sum = loops.closer(x, row, nearest)
      if not best or sum < best_total then
        best, best_total, best_nearest = row, sum, closer
      end
    end
    list[#list + 1], nearest, total = best, best_nearest, best_total
  end
  return np.stack(list)
end

local function given_centers(init, x, k)
  local a = data.plain(data.host(data.matrix(init, "KMeans", "init")), "f64")
  if a.shape[1] ~= k then
    fail("The shape of the initial centers %s does not match the number of"
      .. " clusters %d", data.shape_text(a), k)
  elseif a.shape[2] ~= x.shape[2] then
    fail("The shape of the initial centers %s does not match the number of"
      .. " features of the data %d", data.shape_text(a), x.shape[2])
  end
  return a
end

-- ---- A run ----

-- Squared distances of rows to the centers that are nearest to them.
local function nearest_distances(loops, x, centers)
  local nearest = loops.infinities(x)
  for c = 0, centers.shape[1] - 1 do
    nearest = loops.closer(x, centers[c]:copy(), nearest)
  end
  return nearest
end

-- Centers without rows take those rows that are farthest from theirs.
local function relocate(loops, x, centers, labels, counts, sums)
  local empty = np.flatnonzero(np.equal(counts, 0)):tolist()
  if #empty == 0 then return end
  local nearest = nearest_distances(loops, x, centers)
  if data.number(np.max(nearest)) == 0 then return end
  local far = data.host(np.argsort(-nearest)[(":%d"):format(#empty)])
  for n, c in ipairs(empty) do
    local i = far[n - 1]
    local row = loops.row(x, i)
    local label = data.host(labels[("%d:%d"):format(i, i + 1)])[0]
    sums[label] = sums[label] - row
    sums[c] = row
    counts[label], counts[c] = counts[label] - 1, 1
  end
end

-- The middle of each center's rows; where it has none, the largest one's.
local function middles(counts, sums)
  local largest = np.argmax(counts)
  local out = sums / np.maximum(counts, 1):reshape(-1, 1)
  for _, c in ipairs(np.flatnonzero(np.equal(counts, 0)):tolist()) do
    out[c] = out[largest]
  end
  return out
end

-- Rounds until no label changes, or the centers move less than `tol`.
local function lloyd(x, centers, max_iter, tol)
  local loops = loops_of(x)
  local labels = loops.labels(x)
  for i = 1, max_iter do
    local inertia, changed, counts, sums = loops.round(x, centers, labels, true)
    local found = np.count_nonzero(counts)
    relocate(loops, x, centers, labels, counts, sums)
    local new = middles(counts, sums)
    if changed == 0 then
      return {labels = labels, inertia = inertia, n_iter = i, centers = new,
              found = found}
    end
    local shift = np.sum((new - centers) ^ 2)
    centers = new
    if shift <= tol or i == max_iter then
      local last, _, of_last = loops.round(x, centers, labels, false)
      return {labels = labels, inertia = last, n_iter = i, centers = centers,
              found = np.count_nonzero(of_last)}
    end
  end
end

-- Are they the same sets of rows, perhaps under other numbers?
local function is_same(a, b, k)
  local pairs_of = data.host(a):astype("i64") * k + data.host(b)
  local both = #np.unique(pairs_of)
  return both == #np.unique(a) and both == #np.unique(b)
end

-- ---- The estimator ----

local methods = {}

local function runs_of(p)
  if type(p.init) ~= "string" then
    if p.n_init ~= "auto" and p.n_init ~= 1 then
      use.warn("KMeans: init gives the centers, so there is one run (n_init ="
        .. " 1), not " .. p.n_init)
    end
    return 1
  end
  if p.n_init ~= "auto" then return p.n_init end
  return p.init == "random" and 10 or 1
end

local function starts_of(p, x)
  if type(p.init) ~= "string" then
    local centers = given_centers(p.init, x, p.n_clusters)
    return function() return centers end
  end
  local rng = object.generator(p.random_state)
  local make = p.init == "random" and random_rows or far_rows
  return function() return make(loops_of(x), x, p.n_clusters, rng) end
end

local function check_distinct(found, k)
  if found < k then
    use.warn(("KMeans: Number of distinct clusters (%d) found smaller than"
      .. " n_clusters (%d). Possibly due to duplicate points in X."):format(
      found, k))
  end
end

function methods.fit(self, X)
  local p = object.parameters(self)
  local x, is_single = data.matrix(X, "KMeans")
  if x.shape[1] < p.n_clusters then
    fail("n_samples=%d should be >= n_clusters=%d", x.shape[1], p.n_clusters)
  end
  local start, best = starts_of(p, x), nil
  local tol = p.tol
  if tol ~= 0 then tol = tol * data.number(np.mean(np.var(x, 0))) end
  for _ = 1, runs_of(p) do
    local run = lloyd(x, start(), p.max_iter, tol)
    if not best or run.inertia < best.inertia
      and not is_same(run.labels, best.labels, p.n_clusters) then
      best = run
    end
  end
  check_distinct(best.found, p.n_clusters)
  return object.fit(self, {
    cluster_centers_ = data.like(best.centers, is_single),
    labels_ = best.labels,
    inertia_ = best.inertia,
    n_iter_ = best.n_iter,
    n_features_in_ = x.shape[2],
  })
end

-- X, and the centers for it.
local function fitted_to(self, X)
  local own = object.fitted(self)
  local x, is_single = data.matrix_like(X, "KMeans", own.n_features_in_)
  return x, data.plain(own.cluster_centers_, "f64"), is_single
end

function methods.predict(self, X)
  local x, centers = fitted_to(self, X)
  local loops = loops_of(x)
  local labels = loops.labels(x)
  loops.round(x, centers, labels, false)
  return labels
end

function methods.transform(self, X)
  local x, centers, is_single = fitted_to(self, X)
  return data.like(loops_of(x).distances(x, centers), is_single)
end

function methods.score(self, X)
  local x, centers = fitted_to(self, X)
  local loops = loops_of(x)
  local inertia = loops.round(x, centers, loops.labels(x), false)
  return -inertia
end

function methods.fit_predict(self, X) return self:fit(X).labels_ end
function methods.fit_transform(self, X) return self:fit(X):transform(X) end

local function is_init(v)
  return v == "k-means++" or v == "random" or type(v) == "table"
    or use.is_array(v)
end

return object.class{
  name = "KMeans",
  positional = "n_clusters",
  methods = methods,
  fitted = {"cluster_centers_", "labels_", "inertia_", "n_iter_",
            "n_features_in_"},
  parameters = {
    {name = "n_clusters", default = 8, check = object.positive},
    {name = "init", default = "k-means++", check = object.must(
      '"k-means++", "random" or an array of centers', is_init)},
    {name = "n_init", default = "auto", check = object.must(
      '"auto" or a whole number, 1 or more', function(v)
        return v == "auto" or object.is_count(v)
      end)},
    {name = "max_iter", default = 300, check = object.positive},
    {name = "tol", default = 1e-4, check = object.not_negative},
    {name = "random_state", default = nil, check = object.seed},
  },
}
