-- SPDX-License-Identifier: Apache-2.0
-- ml: what scikit-learn's cases (test_ml_cases.lua) do not have: starts, types,
-- places, frames, parameters, its own errors, help, and the examples of
-- docs/ml.md.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- Four groups of rows around the corners of a square, far apart.
local function corners(n)
  local rng = np.random.default_rng(5)
  local middle = np.array{{0, 0}, {0, 50}, {50, 0}, {50, 50}}
  return middle[np.arange(n) % 4] + rng:normal(0, 1, {n, 2})
end

local function host(a) return a.device == "host" and a or a:copy_to_host() end

-- ---- k-means: starts ----

test("k-means++ finds groups that are far apart", function()
  local X = corners(200)
  for seed = 1, 5 do
    local km = ml.KMeans{n_clusters = 4, random_state = seed}:fit(X)
    equal(ml.metrics.adjusted_rand_score(np.arange(200) % 4, km.labels_), 1.0)
  end
end)

test("the same seed gives the same result, on the device, too", function()
  local X = corners(120)
  for _, init in ipairs{"k-means++", "random"} do
    local function labels(x)
      return host(ml.KMeans{n_clusters = 5, init = init, n_init = 2,
        random_state = 3}:fit(x).labels_):tolist()
    end
    equal(labels(X), labels(X))
    equal(labels(cuda.to_device(X)), labels(X))
  end
  local rng = np.random.default_rng(3)
  local km = ml.KMeans{n_clusters = 5, n_init = 2, random_state = rng}:fit(X)
  equal(km.labels_:tolist(), ml.KMeans{n_clusters = 5, n_init = 2,
    random_state = 3}:fit(X).labels_:tolist())
end)

test("of several starts the best is kept", function()
  local X = corners(60)
  local least = math.huge
  for seed = 1, 6 do
    least = math.min(least, ml.KMeans{n_clusters = 4, init = "random",
      n_init = 1, random_state = seed}:fit(X).inertia_)
  end
  equal(ml.KMeans{n_clusters = 4, init = "random", n_init = 20,
    random_state = 1}:fit(X).inertia_ <= least, true)
end)

test("of random starts there are ten", function()
  local X = corners(60)
  local function inertia(n_init, seed)
    return ml.KMeans{n_clusters = 6, init = "random", n_init = n_init,
      max_iter = 2, random_state = seed}:fit(X).inertia_
  end
  local worse = 0
  for seed = 1, 5 do
    equal(inertia("auto", seed), inertia(10, seed))
    if inertia(1, seed) > inertia("auto", seed) then worse = worse + 1 end
  end
  equal(worse > 0, true)
end)

-- Nine groups, nine centers: each group has one at the start, nearly always.
test("k-means++ takes the best of its candidates", function()
  local at = np.arange(180) % 9
  local X = np.stack({at % 3, at // 3}, 1) * 20.0
    + np.random.default_rng(8):normal(0, 1, {180, 2})
  local found = 0
  for seed = 1, 20 do
    local km = ml.KMeans{n_clusters = 9, max_iter = 1, random_state = seed}
    if #np.unique(km:fit_predict(X) * 9 + at) == 9 then found = found + 1 end
  end
  equal(found >= 15, true)
end)

test("few rows: small singular values keep their digits", function()
  local a, b = np.array{1, -1, 2, -2}, np.array{1, 1, -1, -1}
  local m = ml.PCA():fit(np.stack({a, b * 1e-9}, 1))
  equal(math.abs(m.singular_values_[1] / 2e-9 - 1) < 1e-6, true)
end)

test("a part of all variance is to be passed, not met", function()
  -- Two directions of one half each.
  local X = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
  for _, solver in ipairs{"full", "covariance_eigh"} do
    local parts = {[0.49] = 1, [0.5] = 2, [0.51] = 2}
    for part, count in pairs(parts) do
      local m = ml.PCA{n_components = part, svd_solver = solver}:fit(X)
      equal(m.n_components_, count, solver .. " " .. part)
    end
  end
end)

test("random rows are different ones", function()
  local X = np.arange(6, "f64"):reshape(6, 1)
  for seed = 1, 10 do
    local km = ml.KMeans{n_clusters = 6, init = "random", n_init = 1,
      random_state = seed}:fit(X)
    equal(km.inertia_, 0.0)
  end
end)

test("many rows: blocks and threads do not change a bit", function()
  local rng = np.random.default_rng(9)
  local X = rng:random({20000, 3})
  local init = X[":6"]:copy()
  local km = ml.KMeans{n_clusters = 6, init = init, max_iter = 3}:fit(X)
  local again = ml.KMeans{n_clusters = 6, init = init, max_iter = 3}:fit(X)
  equal(km.cluster_centers_:tolist(), again.cluster_centers_:tolist())
  -- One round by hand.
  local labels = np.argmin(np.sum((X:reshape(20000, 1, 3)
    - km.cluster_centers_:reshape(1, 6, 3)) ^ 2, 2), 1)
  equal(np.all(np.equal(labels, km.labels_)), true)
  local first = ml.KMeans{n_clusters = 6, init = init, max_iter = 1}:fit(X)
  local near = np.argmin(np.sum((X:reshape(20000, 1, 3)
    - init:reshape(1, 6, 3)) ^ 2, 2), 1)
  for c = 0, 5 do
    local mean = np.mean(X[np.equal(near, c)], 0)
    equal(np.allclose(mean, first.cluster_centers_[c]), true)
  end
end)

-- More sums than a block's desk holds: k x (d + 3) > 4096.
test("many centers and features on the device", function()
  local X = np.random.default_rng(2):random({300, 60})
  local init = X[":70"]:copy()
  local here = ml.KMeans{n_clusters = 70, init = init}:fit(X)
  local there = ml.KMeans{n_clusters = 70, init = init}:fit(cuda.to_device(X))
  equal(host(there.labels_):tolist(), here.labels_:tolist())
  equal(np.allclose(there.cluster_centers_, here.cluster_centers_), true)
  equal(there.n_iter_, here.n_iter_)
end)

-- ---- Types and places ----

test("f32 in, f32 out; whole numbers are f64", function()
  local X = corners(40)
  local single, on_device = X:astype("f32"), cuda.to_device(X:astype("f32"))
  for _, x in ipairs{single, on_device} do
    local km = ml.KMeans{n_clusters = 4, init = X[":4"]}:fit(x)
    equal(km.cluster_centers_.dtype, "f32")
    equal(km.labels_.dtype, "i32")
    equal(km:transform(x).dtype, "f32")
    equal(ml.PCA(1):fit(x).components_.dtype, "f32")
    equal(ml.PCA(1):fit_transform(x).dtype, "f32")
    equal(ml.StandardScaler():fit_transform(x).dtype, "f32")
    local line = ml.LinearRegression():fit(x, np.arange(40))
    equal({line.coef_.dtype, line:predict(x).dtype}, {"f32", "f32"})
  end
  equal(ml.KMeans(1):fit{{1}, {2}}.cluster_centers_.dtype, "f64")
end)

test("what has a row for each sample is where X is", function()
  local X = corners(20)
  local x = cuda.to_device(X)
  local km = ml.KMeans(4, {init = X[":4"]}):fit(x)
  equal(km.labels_.device, x.device)
  equal(km.cluster_centers_.device, "host")
  equal(km:predict(x).device, x.device)
  equal(km:predict(X).device, "host")
  equal(km:transform(x).device, x.device)
  equal(ml.PCA():fit_transform(x).device, x.device)
  equal(ml.LinearRegression():fit(x, np.arange(20)):predict(x).device, x.device)
  local nn = ml.NearestNeighbors{n_neighbors = 2}:fit(x)
  equal(nn:kneighbors(X).device, x.device)
end)

test("views are read as they lie", function()
  local wide = corners(40)
  for _, place in ipairs{function(a) return a end, cuda.to_device} do
    local x = place(np.array(wide.T)).T
    equal(host(ml.KMeans(4, {init = wide[":4"]}):fit(x).labels_):tolist(),
      ml.KMeans(4, {init = wide[":4"]}):fit(wide).labels_:tolist())
  end
end)

test("a line that the products of X do not tell comes from the host", function()
  local x = np.linspace(0, 1, 30)
  local X = np.stack({x, x + 1e-7 * x ^ 2}, 1)
  local y = X[":, 0"] * 2 + 1
  local here = ml.LinearRegression{tol = 1e-12}:fit(X, y)
  local there = ml.LinearRegression{tol = 1e-12}:fit(cuda.to_device(X), y)
  equal(there.rank_, 2)
  equal(np.allclose(here.coef_, there.coef_, {atol = 1e-6}), true)
end)

test("frames, on the host and on the device", function()
  local df = frame.DataFrame{{"a", {1, 1, 9, 9}}, {"b", {0.5, 1, 8, 9}},
    {"name", {"x", "y", "z", "w"}}}
  local few = df:drop("name")
  for _, d in ipairs{few, few:to_device()} do
    local km = ml.KMeans(2, {init = {{1, 1}, {9, 9}}}):fit(d)
    equal(host(km.labels_):tolist(), {0, 0, 1, 1})
    equal(km.labels_.device, d.device)
  end
  raises("argument", 'the column "name" holds texts; X:drop("name")',
    function() ml.KMeans(2):fit(df) end)
  local line = ml.LinearRegression():fit(few[{"a"}], few.b)
  equal(line.n_features_in_, 1)
  local kn = ml.KNeighborsClassifier(1):fit(few, df.name)
  equal(kn:predict{{9, 9}}, {"w"})
  local train, rest = ml.train_test_split(df, {test_size = 1, random_state = 1})
  equal({#train, #rest, #train.columns}, {3, 1, 3})
  raises("argument", "Input X contains NaN: KMeans does not accept",
    function() ml.KMeans(1):fit(frame.DataFrame{x = {1, frame.NA}}) end)
end)

test("arrays of jax come to the host", function()
  local km = ml.KMeans(1):fit(jnp.array({{1, 2}, {3, 4}}, "f32"))
  equal(km.cluster_centers_:tolist(), {{2, 3}})
  equal(km.labels_.device, "host")
end)

test("both sides of a split keep their rows together", function()
  local X = np.arange(20):reshape(10, 2)
  local x = cuda.to_device(X)
  local a, b, c, d, e, f = ml.train_test_split(X, np.arange(10), x,
    {train_size = 0.5, random_state = 4})
  equal({#a, #b}, {5, 5})
  equal((a[":, 0"] // 2):tolist(), c:tolist())
  equal((b[":, 0"] // 2):tolist(), d:tolist())
  equal(host(e):tolist(), a:tolist())
  equal(f.device, x.device)
end)

test("the silhouette of some of the rows", function()
  local X = corners(80)
  local labels = np.arange(80) % 4
  local all = ml.metrics.silhouette_score(X, labels)
  local some = ml.metrics.silhouette_score(X, labels,
    {sample_size = 40, random_state = 1})
  equal(math.abs(all - some) < 0.1, true)
end)

-- ---- Parameters ----

test("parameters are read, set and shown", function()
  local km = ml.KMeans(3)
  equal(tostring(km), "KMeans{n_clusters = 3}")
  equal(tostring(ml.KMeans()), "KMeans{}")
  km.tol = 0
  equal(km:set_params{init = "random"}.init, "random")
  equal(km:get_params().tol, 0)
  equal({km.n_clusters, km.max_iter}, {3, 300})
  equal(tostring(ml.PCA(0.5)), "PCA{n_components = 0.5}")
  equal(tostring(ml.KMeans(1, {init = np.zeros{1, 2}})),
    "KMeans{n_clusters = 1, init = array of 1 x 2}")
end)

for _, case in ipairs{
  {'KMeans: there is no parameter "n_cluster"; did you mean "n_clusters"?',
    function() return ml.KMeans{n_cluster = 3} end},
  {"KMeans: n_clusters must be a whole number, 1 or more, not 0",
    function() return ml.KMeans{n_clusters = 0} end},
  {"not 2.5", function() return ml.KMeans(2.5) end},
  {'init must be "k-means++", "random" or an array of centers, not "foo"',
    function() return ml.KMeans{init = "foo"} end},
  {"tol must be a number, 0 or more, not -1",
    function() return ml.KMeans{tol = -1} end},
  {'n_init must be "auto" or a whole number', function()
    return ml.KMeans{n_init = 0} end},
  {"random_state must be a whole number, a generator of np.random or nil",
    function() return ml.KMeans{random_state = "x"} end},
  {"its parameters are a table such as KMeans{n_clusters = ...}",
    function() return ml.KMeans{3} end},
  {"its parameters are a table such as StandardScaler{with_mean = ...}",
    function() return ml.StandardScaler(3) end},
  {'KMeans has no "lables_"; did you mean "labels_"?',
    function(km) return km.lables_ end},
  {"This KMeans instance is not fitted yet",
    function() return ml.KMeans().labels_ end},
  {"KMeans: fit is written with a colon, m:fit(...)",
    function(km) return km.fit(np.zeros{2, 2}) end},
  {'KMeans: there is no parameter "colour"', function(km) km.colour = 1 end},
  {"n_components must be a whole number, 1 or more",
    function() return ml.PCA(1.5) end},
  {'svd_solver must be "auto" or "full" or "covariance_eigh", not "arpack"',
    function() return ml.PCA{svd_solver = "arpack"} end},
  {"PCA: one sample has no variance",
    function() return ml.PCA(1):fit{{1, 2}} end},
  {'weights must be "uniform" or "distance"',
    function() return ml.KNeighborsClassifier{weights = "far"} end},
  {"X is an array, a frame or a list of rows, not a number",
    function(km) return km:fit(3) end},
  {"X:reshape(-1, 1) makes a column of one feature",
    function(km) return km:fit{1, 2} end},
  {'train_test_split: there is no option "size"',
    function() return ml.train_test_split({1, 2}, {size = 1}) end},
  {"test_size must be a part between 0.0 and 1.0, a whole number",
    function() return ml.train_test_split({1, 2}, {test_size = 1.5}) end},
  {"labels are texts on one side and numbers on the other",
    function() return ml.metrics.accuracy_score({"a"}, {1}) end},
  {"ml has no Kmeans; did you mean ml.KMeans?",
    function() return ml.Kmeans end},
  {"ml.metrics has no r2_scor; did you mean ml.metrics.r2_score?",
    function() return ml.metrics.r2_scor end},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], function() return case[2](ml.KMeans(2)) end)
  end)
end

-- ---- Help and the manual ----

local function examples_hold(texts)
  local count = 0
  for name, said in pairs(texts) do
    for code, want in said:gmatch("Example: ([^\n]*) %-%-> ([^\n]*)") do
      count = count + 1
      equal(tostring(assert(load("return " .. code, "=" .. name))()), want,
        code)
    end
  end
  return count
end

test("every name has a text, whose examples hold", function()
  local help = dofile("lua/help/ml.lua")
  local made = {KMeans = ml.KMeans(), PCA = ml.PCA(),
    LinearRegression = ml.LinearRegression(),
    NearestNeighbors = ml.NearestNeighbors(),
    KNeighborsClassifier = ml.KNeighborsClassifier(),
    StandardScaler = ml.StandardScaler()}
  local function look(prefix, t)
    for name, f in pairs(t) do
      if type(f) == "function" and not help[prefix .. name] then
        error("there is no text for " .. prefix .. name)
      end
    end
  end
  look("ml.", ml)
  look("ml.metrics.", ml.metrics)
  for name in pairs(ml) do
    if made[name] then
      look("ml." .. name .. ".", getmetatable(made[name]).__complete(nil, true))
    end
  end
  equal(examples_hold(help) > 15, true)
end)

test("what Tab offers", function()
  local complete = getmetatable(ml.KMeans()).__complete
  local km = ml.KMeans(1):fit{{1}, {2}}
  equal(complete(km, true).fit_predict ~= nil, true)
  equal(complete(km, false).labels_, true)
  equal(complete(km, false).n_clusters, true)
  equal(complete(ml.KMeans(), false).labels_, nil)
end)

-- Each line behind "> " is run; what stands below is what it gives.
test("the examples of docs/ml.md", function()
  local env, count = setmetatable({}, {__index = _G}), 0
  local text = io.open("docs/ml.md"):read("a")
  for block in text:gmatch("```lua\n(.-)```") do
    for code, want in block:gmatch("> ([^\n]*)\n([^>]*)") do
      local f = load("return " .. code, "=docs/ml.md", "t", env)
        or assert(load(code, "=docs/ml.md", "t", env))
      local got = f()
      if want ~= "" then
        count = count + 1
        equal(tostring(got) .. "\n", want, code)
      end
    end
  end
  equal(count > 6, true)
end)

test("what learns from rows on a device fetches numbers, not rows", function()
  local x = cuda.to_device((np.arange(4000) * 37 % 101 / 8):reshape(2000, 2))
  local y = cuda.to_device(np.arange(2000) * 1.5)
  for what, f in pairs{
    KMeans = function()
      return ml.KMeans{n_clusters = 2, init = {{1, 2}, {9, 9}}}:fit(x)
    end,
    PCA = function() return ml.PCA(1):fit(x) end,
    line = function() return ml.LinearRegression():fit(x, y) end,
  } do
    local moved = cuda.calls(f)
    local bytes = moved.bytes_to_host + moved.bytes_to_device
    equal(bytes < 4000, true, what .. ": " .. bytes)
  end
end)

tap.done()
