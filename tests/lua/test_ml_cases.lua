-- SPDX-License-Identifier: Apache-2.0
-- ml beside scikit-learn: the cases of tests/fixtures/ml/cases.py, from arrays
-- on the host and on the device in use.
local tap = dofile("tests/lua/tap.lua")
local json = dofile("tests/jax/json.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local made = json.read("tests/fixtures/ml/cases.json")

-- Arrays as lists, wherever they are.
local function listed(v)
  if type(v) ~= "userdata" then return v end
  return (v.device == "host" and v or v:copy_to_host()):tolist()
end

-- To `off` of the magnitude and of `scale`; what is no number is near nothing.
local function is_near(got, want, off, scale)
  return math.abs(got - want) <= off * (math.abs(want) + scale)
end

-- Numbers are near.
local function near(got, want, off, scale, what)
  got = listed(got)
  if type(want) == "table" then
    equal(type(got), "table", what)
    equal(#got, #want, what .. ": length")
    for i, w in ipairs(want) do near(got[i], w, off, scale, what) end
  elseif type(want) ~= "number" or type(got) ~= "number" then
    equal(got, want, what)
  elseif not is_near(got, want, off, scale) then
    error(("%s: got %.17g, want %.17g"):format(what, got, want), 2)
  end
end

-- The largest number of a matrix, by which differences are judged.
local function magnitude(x)
  local most = 0
  for _, row in ipairs(x) do
    for _, v in ipairs(row) do most = math.max(most, math.abs(v)) end
  end
  return most
end

local function options_of(given, more)
  local out = {}
  for key, v in pairs(given.options or {}) do out[key] = v end
  for key, v in pairs(more or {}) do out[key] = v end
  return out
end

local function is_given(v) return v ~= nil and v ~= json.null end

-- check[kind](given, want, at): `at` puts a list where the case runs.
local check = {}

function check.kmeans(given, want, at)
  local m = ml.KMeans(options_of(given, {n_clusters = #given.init,
    init = np.array(given.init)})):fit(at(given.x))
  local scale = magnitude(given.x)
  near(m.inertia_, want.inertia, 1e-5, 1e-9 * scale ^ 2, "inertia")
  if is_given(want.n_iter) then equal(m.n_iter_, want.n_iter, "n_iter") end
  if is_given(want.labels) then
    equal(listed(m.labels_), want.labels, "labels")
    near(m.cluster_centers_, want.centers, 1e-9, scale, "centers")
  end
  near(m:score(at(given.x)), want.score, 1e-5, 1e-9 * scale ^ 2, "score")
  equal(listed(m:predict(at(given.x))), listed(m.labels_), "predict(X)")
  if given.others then
    equal(listed(m:predict(at(given.others))), want.predicted, "predict")
    near(m:transform(at(given.others)), want.transformed, 1e-9, scale,
      "transform")
  end
end

function check.linear(given, want, at)
  local x = at(given.x)
  local m = ml.LinearRegression(options_of(given)):fit(x, np.array(given.y))
  near(m.coef_, want.coef, 1e-8, 1, "coef")
  near(m.intercept_, want.intercept, 1e-8, 1, "intercept")
  equal(m.rank_, want.rank, "rank")
  near(m.singular_, want.singular, 1e-8, 1, "singular")
  near(m:predict(at(given.others)), want.predicted, 1e-8, 1, "predict")
  if is_given(want.score) and want.score == want.score then
    near(m:score(x, np.array(given.y)), want.score, 1e-8, 1, "score")
  end
end

function check.pca(given, want, at)
  local n = is_given(given.n_components) and given.n_components or nil
  local m = ml.PCA(options_of(given, {n_components = n})):fit(at(given.x))
  local scale = magnitude(given.x)
  equal(m.n_components_, want.count, "n_components_")
  for ours, theirs in pairs{components_ = "components",
      explained_variance_ratio_ = "ratio", mean_ = "mean"} do
    near(m[ours], want[theirs], 1e-7, 1, ours)
  end
  near(m.explained_variance_, want.variance, 1e-7, scale, "explained_variance_")
  near(m.singular_values_, want.singular, 1e-6, scale, "singular_values_")
  near(m.noise_variance_, want.noise, 1e-7, scale, "noise_variance_")
  local z = m:transform(at(given.x))
  near(z, want.transformed, 1e-6, scale, "transform")
  near(m:inverse_transform(z), want.back, 1e-6, scale, "inverse_transform")
end

function check.neighbors(given, want, at)
  local m = ml.NearestNeighbors{n_neighbors = given.k}:fit(at(given.x))
  local distances, places = m:kneighbors(at(given.q))
  near(distances, want.distances, 1e-9, 1, "distances")
  equal(listed(places), want.places, "places")
  if want.own_places then
    distances, places = m:kneighbors()
    near(distances, want.own_distances, 1e-9, 1, "own distances")
    equal(listed(places), want.own_places, "own places")
  end
end

function check.classify(given, want, at)
  local m = ml.KNeighborsClassifier(given.k, {weights = given.weights})
  m:fit(at(given.x), given.y)
  equal(listed(m:predict(at(given.q))), want.predicted, "predict")
  near(m:predict_proba(at(given.q)), want.proba, 1e-9, 1, "predict_proba")
  equal(listed(m.classes_), want.classes, "classes_")
  near(m:score(at(given.x), given.y), want.score, 1e-12, 1, "score")
end

function check.scale(given, want, at)
  local m = ml.StandardScaler(options_of(given)):fit(at(given.x))
  near(m.mean_, want.mean, 1e-12, 1, "mean_")
  if is_given(want.var) then
    near(m.var_, want.var, 1e-9, 1, "var_")
    near(m.scale_, want.scale, 1e-9, 1, "scale_")
  end
  local z = m:transform(at(given.x))
  near(z, want.transformed, 1e-6, 1, "transform")
  near(m:inverse_transform(z), want.back, 1e-9, 1, "inverse_transform")
end

local scores = {mse = "mean_squared_error", rmse = "root_mean_squared_error",
                mae = "mean_absolute_error", r2 = "r2_score"}
local agreements = {accuracy = "accuracy_score", rand = "adjusted_rand_score",
                    confusion = "confusion_matrix"}
local shapes = {silhouette = "silhouette_score",
                silhouettes = "silhouette_samples"}

function check.scores(given, want, at)
  local M = ml.metrics
  for key, w in pairs(want) do
    local got
    if scores[key] then
      got = M[scores[key]](at(given.a), at(given.b))
    elseif agreements[key] then
      got = M[agreements[key]](at(given.p), at(given.q))
    else
      got = M[shapes[key]](at(given.x), at(given.p))
    end
    near(got, w, 1e-9, 1, key)
  end
end

function check.split(given, want)
  local list = np.arange(given.n):tolist()
  local o = options_of(given, {random_state = 3})
  local train, test_rows = ml.train_test_split(list, o)
  equal({#train, #test_rows}, want.sizes)
  local seen = {}
  for _, part in ipairs{train, test_rows} do
    for _, v in ipairs(part) do
      equal(seen[v], nil, "a row twice")
      seen[v] = true
    end
  end
  if want.parts then equal({train, test_rows}, want.parts) end
end

function check.refused(_, want, at, text)
  raises("argument", want.says,
    assert(load("local X = ... return " .. text, "=case", "t")) and function()
      return load("local X = ... return " .. text, "=case", "t")(at(made.X))
    end)
end

local function array_of(list)
  return type(list[1]) == "string" and list or np.array(list)
end

local function on_device(list)
  local a = array_of(list)
  return type(a) == "userdata" and cuda.to_device(a) or a
end

for _, case in ipairs(made.cases) do
  test(("%s: %s"):format(case.kind, case.name), function()
    check[case.kind](case.given, case.want, array_of, case.name)
  end)
  if case.kind ~= "split" then
    test(("%s on the device: %s"):format(case.kind, case.name), function()
      check[case.kind](case.given, case.want, on_device, case.name)
    end)
  end
end

test("there are enough of them", function()
  equal(#made.cases >= 100, true)
end)
tap.done()
