-- SPDX-License-Identifier: Apache-2.0
-- Statistics along axes: quantiles, averages, functions that ignore NaN,
-- differences and integrals.
local np, fail, method, core = ...

local function define(name, names, f) core.define(np, name, names, f) end

local function is_float(a) return a.dtype:find("f", 1, true) ~= nil end

-- Arrays without axes are given back as numbers.
local function plain(r)
  if type(r) == "userdata" and r.ndim == 0 then return r:item() end
  return r
end

-- The part of `a` along one axis that an index text names.
local function along(a, axis, text)
  return a[(":, "):rep(axis) .. text]
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

-- ---- Counting, averages ----

-- `weights` along `axis` of an array with `ndim` axes.
local function weights_along(a, weights, axis)
  if weights.ndim == a.ndim then return weights end
  if type(axis) ~= "number" or weights.ndim ~= 1 then
    fail("average: weights of another shape than the array's go along one axis")
  end
  axis = core.axis("average", axis, a.ndim)
  if weights.size ~= a.shape[axis + 1] then
    fail(("average: there are %d weights, and axis %d has %d elements"):format(
      weights.size, axis, a.shape[axis + 1]))
  end
  local shape = {}
  for d = 1, a.ndim do shape[d] = d == axis + 1 and weights.size or 1 end
  return np.broadcast_to(weights:reshape(shape), a.shape)
end

define("average", {"a", "axis", "weights", "returned", "keepdims"},
  function(a, axis, weights, returned, keepdims)
    a = np.asarray(a)
    local options = {axis = axis, keepdims = keepdims}
    local total, mean
    if weights == nil then
      mean = np.mean(a, options)
      total = a.size / np.asarray(mean).size
      total = type(mean) == "number" and total or np.full_like(mean, total)
    else
      weights = weights_along(a, np.asarray(weights), axis)
      if not is_float(a) and not is_float(weights) then a = a:astype("f64") end
      total = np.sum(weights, options)
      if np.any(np.equal(total, 0)) then
        fail("average: the weights sum to zero")
      end
      local t = np.result_type(a, weights)
      mean = np.divide(np.sum(np.multiply(a:astype(t), weights), options),
        total)
    end
    if returned then return mean, total end
    return mean
  end)

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

-- ---- Without NaN ----

local function known(a) return np.logical_not(np.isnan(a)) end

-- Functions for which NaN becomes an element that changes nothing.
for name, row in pairs{
  nansum = {"sum", 0}, nanprod = {"prod", 1},
  nancumsum = {"cumsum", 0}, nancumprod = {"cumprod", 1},
} do
  local f, neutral = np[row[1]], row[2]
  define(name, {"a", "axis", "dtype", "keepdims"},
    function(a, axis, dtype, keepdims)
      a = np.asarray(a)
      if is_float(a) then a = np.where(np.isnan(a), neutral, a) end
      return f(a, {axis = axis, dtype = dtype, keepdims = keepdims})
    end)
end

for name, row in pairs{nanmin = {"min", np.inf}, nanmax = {"max", -np.inf}} do
  local f, worst = np[row[1]], row[2]
  define(name, {"a", "axis", "keepdims"}, function(a, axis, keepdims)
    a = np.asarray(a)
    local options = {axis = axis, keepdims = keepdims}
    if not is_float(a) then return f(a, options) end
    local unknown = np.isnan(a)
    local r = f(np.where(unknown, worst, a), options)
    local none = np.all(unknown, options)
    if type(r) == "number" then return none and np.nan or r end
    return np.where(none, np.nan, r)
  end)
end

for name, row in pairs{
  nanargmin = {"argmin", np.inf}, nanargmax = {"argmax", -np.inf},
} do
  local f, worst = np[row[1]], row[2]
  define(name, {"a", "axis", "keepdims"}, function(a, axis, keepdims)
    a = np.asarray(a)
    local options = {axis = axis, keepdims = keepdims}
    if not is_float(a) then return f(a, options) end
    local unknown = np.isnan(a)
    if np.any(np.all(unknown, options)) then
      fail(name .. ": there is nothing but NaN to choose from")
    end
    return f(np.where(unknown, worst, a), options)
  end)
end

define("nanmean", {"a", "axis", "dtype", "keepdims"},
  function(a, axis, dtype, keepdims)
    a = np.asarray(a)
    return np.mean(a, {axis = axis, dtype = dtype, keepdims = keepdims,
      where = is_float(a) and known(a) or nil})
  end)

local function nanvar(a, axis, dtype, ddof, keepdims)
  a = np.asarray(a)
  if not is_float(a) then a = a:astype("f64") end
  local t = dtype or a.dtype
  if t ~= "f64" then a = a:astype("f32") else a = a:astype("f64") end
  local mask = known(a)
  local mean = np.mean(a, {axis = axis, keepdims = true, where = mask})
  local off = np.where(mask, np.square(a - mean), 0)
  local options = {axis = axis, keepdims = keepdims}
  local n = np.maximum(np.asarray(np.sum(mask, options)) - (ddof or 0), 0)
  local r = np.asarray(np.sum(off, options))
  return np.where(np.equal(n, 0), np.nan, r / n:astype(r.dtype)), t
end

local var_names = {"a", "axis", "dtype", "ddof", "keepdims"}
define("nanvar", var_names, function(...)
  local r, t = nanvar(...)
  return plain(r:astype(t))
end)
define("nanstd", var_names, function(...)
  local r, t = nanvar(...)
  return plain(np.sqrt(r):astype(t))
end)

-- ---- Sums of exponentials ----

--- log(sum(b exp(a))), by way of the largest element.
define("logsumexp", {"a", "axis", "b", "keepdims"},
  function(a, axis, b, keepdims)
    a = np.asarray(a)
    if not is_float(a) then a = a:astype("f64") end
    if b ~= nil then
      a = np.where(np.equal(b, 0), -np.inf, a)
    end
    local top = np.asarray(np.max(a, {axis = axis, keepdims = true}))
    local shift = np.where(np.isfinite(top), top, 0)
    local terms = np.exp(a - shift)
    if b ~= nil then terms = np.multiply(b, terms) end
    local r = np.log(np.asarray(np.sum(terms, {axis = axis, keepdims = true})))
      + shift
    if not keepdims then
      r = r:reshape(np.asarray(np.max(a, {axis = axis})).shape)
    end
    return plain(r:astype(a.dtype))
  end)

-- ---- Differences and integrals ----

define("diff", {"a", "n", "axis", "prepend", "append"},
  function(a, n, axis, prepend, append)
    a, n = np.asarray(a), n or 1
    if n == 0 then return a end
    if a.ndim == 0 then fail("diff: the array has no axis") end
    if n < 0 then
      fail(("diff: n is %d, and must not be negative"):format(n))
    end
    axis = core.axis("diff", axis or -1, a.ndim)
    local shape = a.shape
    shape[axis + 1] = 1
    local function edge(x)
      x = np.asarray(x)
      return x.ndim == 0 and np.broadcast_to(x, shape) or x
    end
    if n > 0 and (prepend ~= nil or append ~= nil) then
      local parts = {a}
      if prepend ~= nil then table.insert(parts, 1, edge(prepend)) end
      if append ~= nil then table.insert(parts, edge(append)) end
      a = np.concatenate(parts, axis)
    end
    local minus = a.dtype == "bool" and np.not_equal or np.subtract
    for _ = 1, n do
      a = minus(along(a, axis, "1:"), along(a, axis, ":-1"))
    end
    return a
  end)

define("ediff1d", {"a", "to_end", "to_begin"}, function(a, to_end, to_begin)
  local parts = {np.diff(np.ravel(np.asarray(a)))}
  if to_begin ~= nil then
    table.insert(parts, 1, np.ravel(np.asarray(to_begin)))
  end
  if to_end ~= nil then table.insert(parts, np.ravel(np.asarray(to_end))) end
  return np.concatenate(parts)
end)

--- The area under y by trapezoids, `dx` wide or between the points x.
define("trapezoid", {"y", "x", "dx", "axis"}, function(y, x, dx, axis)
  y = np.asarray(y)
  if y.ndim == 0 then fail("trapezoid: the array has no axis") end
  axis = core.axis("trapezoid", axis or -1, y.ndim)
  local width = dx or 1.0
  if x ~= nil then
    x = np.asarray(x)
    if x.ndim == 1 then
      width = np.diff(x)
      local shape = {}
      for d = 1, y.ndim do shape[d] = d == axis + 1 and width.size or 1 end
      width = width:reshape(shape)
    else
      width = np.diff(x, 1, axis)
    end
  end
  local heights = along(y, axis, "1:") + along(y, axis, ":-1")
  return np.sum(np.divide(np.multiply(width, heights), 2.0), axis)
end)

-- Along one axis: central differences, and one-sided ones at the ends.
local function gradient_along(f, step, axis, edge_order)
  local n = f.shape[axis + 1]
  if n < edge_order + 1 then
    fail(("gradient: axis %d has %d elements and needs at least %d"):format(
      axis, n, edge_order + 1))
  end
  local function at(text) return along(f, axis, text) end
  local first, middle, last
  if type(step) == "number" then
    middle = (at("2:") - at(":-2")) / (2.0 * step)
    if edge_order == 1 then
      first = (at("1:2") - at("0:1")) / step
      last = (at("-1:") - at("-2:-1")) / step
    else
      first = (-1.5 * at("0:1") + 2.0 * at("1:2") - 0.5 * at("2:3")) / step
      last = (0.5 * at("-3:-2") - 2.0 * at("-2:-1") + 1.5 * at("-1:")) / step
    end
    return np.concatenate({first, middle, last}, axis)
  end
  if edge_order == 2 then
    fail("gradient: edge_order 2 needs an even spacing")
  end
  local shape = {}
  for d = 1, f.ndim do shape[d] = d == axis + 1 and -1 or 1 end
  local h = np.diff(step)
  local h1, h2 = h[":-1"]:reshape(shape), h["1:"]:reshape(shape)
  middle = at(":-2") * (-h2 / (h1 * (h1 + h2)))
    + at("1:-1") * ((h2 - h1) / (h1 * h2)) + at("2:") * (h1 / (h2 * (h1 + h2)))
  first = (at("1:2") - at("0:1")) / h[0]
  last = (at("-1:") - at("-2:-1")) / h[-1]
  return np.concatenate({first, middle, last}, axis)
end

--- One result for each axis; `spacing` is a number, the points along the axis,
--- or a list of these with one for each axis.
define("gradient", {"f", "spacing", "axis", "edge_order"},
  function(f, spacing, axis, edge_order)
    f = np.asarray(f)
    if not is_float(f) then f = f:astype("f64") end
    local axes = {}
    if axis == nil then
      for d = 0, f.ndim - 1 do axes[d + 1] = d end
    else
      axes = core.axes("gradient", axis, f.ndim)
    end
    if type(spacing) == "table" and #axes == 1
        and type(spacing[1]) == "number" and #spacing > 1 then
      spacing = {spacing}
    end
    local results = {}
    for i, d in ipairs(axes) do
      local step = type(spacing) == "table" and spacing[i] or spacing or 1.0
      if type(step) ~= "number" then
        step = np.asarray(step, "f64")
        if step.ndim ~= 1 or step.size ~= f.shape[d + 1] then
          fail(("gradient: axis %d has %d elements and %d points"):format(d,
            f.shape[d + 1], step.size))
        end
      end
      results[i] = gradient_along(f, step, d, edge_order or 1)
    end
    return table.unpack(results)
  end)

-- ---- Covariance ----

-- Weights of the observations: a list as long as there are, or nil.
local function observation_weights(w, what, n)
  if w == nil then return nil end
  w = np.asarray(w)
  if w.ndim ~= 1 or w.size ~= n or np.any(np.less(w, 0)) then
    fail(("cov: %s are %d numbers from 0 on"):format(what, n))
  end
  if what == "fweights" and is_float(w) then
    fail("cov: fweights count observations, and must be whole numbers")
  end
  return w:astype("f64")
end

define("cov", {"m", "y", "rowvar", "bias", "ddof", "fweights", "aweights"},
  function(m, y, rowvar, bias, ddof, fweights, aweights)
    local function variables(x)
      x = np.asarray(x, "f64")
      if x.ndim > 2 then
        fail(("cov: the array has %d axes, and at most two are possible")
          :format(x.ndim))
      end
      if x.ndim < 2 then return x:reshape(1, -1) end
      return rowvar == false and x.T or x
    end
    local x = variables(m)
    if y ~= nil then x = np.concatenate({x, variables(y)}) end
    local n = x.shape[2]
    ddof = ddof or (bias and 0 or 1)
    local counts = observation_weights(fweights, "fweights", n)
    local a = observation_weights(aweights, "aweights", n)
    local w = counts and a and counts * a or counts or a
    local total = w and np.sum(w) or n
    local mean = w and np.sum(x * w, {axis = 1, keepdims = true}) / total
      or np.mean(x, {axis = 1, keepdims = true})
    x = x - mean
    local by = total - (a and ddof * np.sum(w * a) / total or ddof)
    local r = np.matmul(x, w and (x * w).T or x.T) / math.max(by, 0.0)
    return r.size == 1 and r:item() or r
  end)

define("corrcoef", {"x", "y", "rowvar"}, function(x, y, rowvar)
  local c = np.cov(x, y, rowvar)
  if type(c) == "number" then return c / c end
  local d = np.sqrt(np.diagonal(c))
  local r = c / d:reshape(-1, 1) / d:reshape(1, -1)
  return np.clip(r, -1, 1)
end)
