-- SPDX-License-Identifier: Apache-2.0
-- ml's side of run: NAME<tab>milliseconds of processor time.
local X = np.load(arg[1])

local function timed(name, f)
  collectgarbage()
  local begin = os.clock()
  local out = f()
  print(("%s\t%.3f"):format(name, (os.clock() - begin) * 1e3))
  return out
end

local km = timed("KMeans, 8 centers, 20 rounds", function()
  local k = {n_clusters = 8, init = X[":8"], max_iter = 20, tol = 0}
  return ml.KMeans(k):fit(X)
end)
timed("predict", function() return km:predict(X) end)
timed("transform", function() return km:transform(X) end)
timed("k-means++, one round", function()
  return ml.KMeans{n_clusters = 8, max_iter = 1, random_state = 1}:fit(X)
end)
timed("PCA, 2 components", function() return ml.PCA(2):fit(X) end)
local y = np.matmul(X, np.arange(10, "f64")) + 1
timed("LinearRegression", function() return ml.LinearRegression():fit(X, y) end)
timed("5 neighbours of 2,000 among 20,000", function()
  return ml.NearestNeighbors{n_neighbors = 5}:fit(X[":20000"]):kneighbors(
    X["-2000:"])
end)
timed("silhouette of 4,000 rows", function()
  return ml.metrics.silhouette_score(X[":4000"], km.labels_[":4000"])
end)
print(("inertia\t%.17g"):format(km.inertia_))
