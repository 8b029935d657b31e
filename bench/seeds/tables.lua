-- SPDX-License-Identifier: Apache-2.0
-- warpshop's rows of run: TABLE<tab>WHAT<tab>SECONDS<tab>RESULT, by the clock.
-- The file has 2 million rows by 12 columns (bench/frame/data.py writes it).
local path, which = arg[1], arg[2]
local names = {"balance", "x0", "x1", "x2", "x3", "x4"}

local function now() return io.open("/proc/uptime"):read("n") end
local function timed(section, what, f)
  collectgarbage()
  local begin = now()
  local out, said = f()
  print(("%s\t%s\t%.2f\t%s"):format(section, what, now() - begin, said or ""))
  return out
end
local function number(x) return ("%.6g"):format(x) end

local tables = {}

function tables.import()
  timed("import", "frame.read_csv", function()
    local df = frame.read_csv(path)
    return df, number(df.balance:max())
  end)
  timed("import", "scale.frame.read_csv, the plan", function()
    return scale.frame.read_csv(path)
  end)
  local c = scale.Client{n_workers = 2}
  timed("import", "the same by 2 workers, and a maximum", function()
    return nil, number(scale.frame.read_csv(path).balance:max())
  end)
  c:close()
end

local function columns_of(df)
  local list = {}
  for i, name in ipairs(names) do list[i] = df:column(name):to_numpy() end
  return np.stack(list, 1)
end

-- Of six columns that are scaled: eight centers; then seven fits, of which the
-- mean silhouette of a sample chooses one.
function tables.kmeans()
  local X = ml.StandardScaler():fit_transform(columns_of(frame.read_csv(path)))
  timed("k-means", "k = 8, 20 rounds", function()
    local km = ml.KMeans{n_clusters = 8, init = X[":8"], max_iter = 20,
                         tol = 0}:fit(X)
    return nil, number(km.inertia_)
  end)
  timed("k-means", "choosing k from 2 to 8", function()
    local best, most
    for k = 2, 8 do
      local km = ml.KMeans{n_clusters = k, init = X[(":%d"):format(k)],
                           max_iter = 20, tol = 0}:fit(X)
      local s = ml.metrics.silhouette_score(X[":2000"], km.labels_[":2000"])
      if not most or s > most then best, most = k, s end
    end
    return nil, ("k = %d"):format(best)
  end)
end

-- Load, prepare, convert, train: one behind the other.
function tables.pipeline()
  local df = timed("pipeline", "load", function()
    return frame.read_csv(path)
  end)
  df = timed("pipeline", "prepare", function()
    local some = df[df.balance:gt(40)]
    return some:assign{sum = some.x0 + some.x1, low = some.balance * 0.5}
  end)
  local X, y
  timed("pipeline", "convert", function()
    X, y = columns_of(df), df:column("sum"):to_numpy()
  end)
  timed("pipeline", "train", function()
    local model = ml.LinearRegression():fit(X, y)
    return nil, number(model:score(X, y))
  end)
end

tables[which]()
