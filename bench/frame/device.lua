-- SPDX-License-Identifier: Apache-2.0
-- frame and ml on a GPU: NAME<tab>milliseconds of wall time, best of five,
-- each with its result there. PATH is data.py's file, MATRIX is that of
-- bench/ml/data.py.
local path, matrix = ...

local function finish() cuda.synchronize() end

local function row(name, f)
  f() -- kernels are compiled, files read once
  local best, held = math.huge, {}
  for _ = 1, 5 do
    held[1] = nil
    collectgarbage()
    finish()
    local start = cuda.clock()
    held[1] = f()
    finish()
    best = math.min(best, cuda.clock() - start)
  end
  print(("%s\t%.4f"):format(name, best * 1e3))
  return held
end

local function read() return frame.read_csv(path, {device = true}) end
row("read_csv, to the device", read)
local df = read()
local other = frame.read_csv(path .. ".right", {device = true})
for _, one in ipairs(dofile("bench/frame/rows.lua")) do
  if one[3] then row(one[1], function() return one[2](df, other) end) end
end

local host = np.load(matrix)
for _, t in ipairs{"f32", "f64"} do
  local X, inertia = cuda.to_device(host:astype(t))
  local first = host[":8"]:astype(t)
  row("KMeans, 8 centers, 20 rounds, " .. t, function()
    local km = ml.KMeans({n_clusters = 8, init = first, max_iter = 20, tol = 0})
    inertia = km:fit(X).inertia_
  end)
  print(("# inertia, %s: %.10g"):format(t, inertia))
end
