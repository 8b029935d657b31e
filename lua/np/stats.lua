-- SPDX-License-Identifier: Apache-2.0
-- Quantiles.
local np, fail, _, core = ...

local function define(name, names, f) core.define(np, name, names, f) end

local function is_float(a) return a.dtype:find("f", 1, true) ~= nil end

-- Arrays without axes are given back as numbers.
local function plain(r)
  if type(r) == "userdata" and r.ndim == 0 then return r:item() end
  return r
end

-- `a` as a matrix whose rows are what is reduced; and a function that gives
-- one value for each row the shape of the result.
local function rows(name, a, axis, keepdims)
  local shape, reduced, order, kept, result = a.shape, {}, {}, {}, {}
  local all = {}
  for d = 0, a.ndim - 1 do all[d + 1] = d end
  if axis == nil then axis = all end
  axis = core.axes(name, axis, a.ndim)
  for _, d in ipairs(axis) do reduced[d] = true end
  local n = 1
  for _, d in ipairs(all) do
    if not reduced[d] then
      order[#order + 1] = d
      kept[#kept + 1] = shape[d + 1]
    else
      n = n * shape[d + 1]
    end
    result[d + 1] = reduced[d] and 1 or shape[d + 1]
  end
  local count = 1
  for _, size in ipairs(kept) do count = count * size end
  for _, d in ipairs(axis) do order[#order + 1] = d end
  local matrix = np.transpose(a, order):reshape(count, n)
  return matrix, function(values, before)
    local to = {table.unpack(before or {})}
    for _, size in ipairs(keepdims and result or kept) do to[#to + 1] = size end
    return plain(values:reshape(to))
  end
end

-- ---- Quantiles ----

-- Which two elements of a sorted line surround a quantile: alpha and beta of
-- Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996.
local continuous = {
  linear = {1, 1}, hazen = {0.5, 0.5}, weibull = {0, 0},
  median_unbiased = {1 / 3, 1 / 3}, normal_unbiased = {3 / 8, 3 / 8},
  interpolated_inverted_cdf = {0, 1},
}
-- The median's: linear, and between two elements their mean, which is infinite
-- where one of them is.
local MIDDLE = {}
continuous[MIDDLE] = continuous.linear
local rounded = {
  lower = np.floor, higher = np.ceil, nearest = np.rint,
  midpoint = function(h) return (np.floor(h) + np.ceil(h)) * 0.5 end,
}

-- Where quantile q lies in lines of n (a number or one for each line).
local function position(name, q, n, how)
  local h
  if rounded[how] then
    h = rounded[how]((n - 1) * q)
  else
    local c = continuous[how]
    if not c then
      fail(("%s: there is no method %s"):format(name, tostring(how)))
    end
    h = n * q + (c[1] + q * (1 - c[1] - c[2])) - 1
  end
  return np.minimum(np.maximum(h, 0.0), n - 1.0)
end

-- Quantile q of each row of a sorted matrix, of which the first `counts`
-- elements count.
local function quantile_of(name, sorted, counts, q, how)
  local n = sorted.shape[2]
  local h = np.asarray(position(name, q, counts or n, how))
  h = np.maximum(np.broadcast_to(h, {sorted.shape[1]}), 0.0)
  local low = np.floor(h)
  local at = low:astype("i64"):reshape(-1, 1)
  local last = counts and counts:astype("i64"):reshape(-1, 1) or n
  local next = np.maximum(np.minimum(at + 1, last - 1), 0)
  local a = np.take_along_axis(sorted, at, 1):ravel()
  local b = np.take_along_axis(sorted, next, 1):ravel()
  local g = (h - low):astype(a.dtype)
  -- From the nearer end, so that both are met exactly; beside infinity, whose
  -- difference times 0 is NaN, as NumPy's. A median's is the element.
  local r = how == MIDDLE and np.where(np.equal(g, 0), a, (a + b) / 2)
    or np.where(np.less(g, 0.5), a + (b - a) * g, b - (b - a) * (1 - g))
  if counts then return np.where(np.equal(counts, 0), np.nan, r) end
  return np.where(np.isnan(sorted[":, -1"]), np.nan, r)
end

-- Methods that choose an element keep its type.
local chooses = {lower = true, higher = true, nearest = true}

-- The same, of these methods.
local function chosen_of(name, sorted, counts, q, how)
  local h = np.asarray(position(name, q, counts or sorted.shape[2], how))
  local at = np.broadcast_to(np.maximum(h, 0.0), {sorted.shape[1]})
  local r = np.take_along_axis(sorted, at:astype("i64"):reshape(-1, 1), 1)
  r = r:ravel()
  if not is_float(sorted) then return r end
  return np.where(counts and np.equal(counts, 0) or
                  not counts and np.isnan(sorted[":, -1"]), np.nan, r)
end

-- The type that quantiles are of, and the one to compute them in.
local function quantile_types(a, q, how)
  if chooses[how] then return a.dtype, a.dtype end
  local t = is_float(a) and a.dtype or "f64"
  if type(q) ~= "number" then -- types meet; a number gives way
    q = np.asarray(q)
    t = np.promote_types(t, is_float(q) and q.dtype or "f64")
  end
  return t, (t == "f16" or t == "bf16") and "f32" or t
end

-- 0 and 1 as whole numbers fall on an element, which is chosen.
local function way_of(q, how)
  local is_linear = how == nil or how == "linear"
  return is_linear and not is_float(np.asarray(q)) and "lower" or how
end

-- `ignore`: NaN is left out.
local function quantile(name, a, q, axis, how, keepdims, ignore)
  a, how = np.asarray(a), way_of(q, how)
  local t, compute = quantile_types(a, q, how)
  if a.dtype ~= compute then a = a:astype(compute) end
  local matrix, shape = rows(name, a, axis, keepdims)
  if matrix.shape[2] == 0 then
    if not name:find("median") then
      fail(("%s: there is no element to choose from"):format(name))
    end
    return shape(np.full(matrix.shape[1], np.nan, t))
  end
  local sorted = np.sort(matrix, 1)
  local counts = ignore
    and np.sum(np.logical_not(np.isnan(matrix)), 1):astype("f64")
  local qs = np.asarray(q, "f64")
  local function one(value)
    if not (value >= 0 and value <= 1) then
      fail(("%s: %g is not between %s"):format(name,
        name:find("percent") and value * 100 or value,
        name:find("percent") and "0 and 100" or "0 and 1"))
    end
    local of = chooses[how] and chosen_of or quantile_of
    return of(name, sorted, counts, value, how or "linear")
  end
  if qs.ndim == 0 then return shape(one(qs:item()):astype(t)) end
  local parts = {}
  for i, value in ipairs(qs:ravel():tolist()) do parts[i] = one(value) end
  return shape(np.stack(parts):astype(t), qs.shape)
end

for name, ignore in pairs{quantile = false, nanquantile = true} do
  define(name, {"a", "q", "axis", "method", "keepdims"},
    function(a, q, axis, how, keepdims)
      return quantile(name, a, q, axis, how, keepdims, ignore)
    end)
end

for name, ignore in pairs{percentile = false, nanpercentile = true} do
  define(name, {"a", "q", "axis", "method", "keepdims"},
    function(a, q, axis, how, keepdims)
      local part = type(q) == "number" and q / 100
        or np.divide(np.asarray(q), 100)
      return quantile(name, a, part, axis, how, keepdims, ignore)
    end)
end

for name, ignore in pairs{median = false, nanmedian = true} do
  define(name, {"a", "axis", "keepdims"}, function(a, axis, keepdims)
    return quantile(name, a, 0.5, axis, MIDDLE, keepdims, ignore)
  end)
end
