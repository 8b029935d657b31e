-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: reductions that are made of others, also without NaN, and
-- covariances.
local _, _, _, core = ...

-- ---- Counting, averages ----

local function counting(lib, define)
  local xp = lib.xp
  for new, old in pairs{amax = "max", amin = "min"} do
    define(new, nil, function(...) return xp[old](...) end)
  end
  define("count_nonzero", {"a", "axis", "keepdims"},
         function(a, axis, keepdims)
    a = lib.array(a, "count_nonzero")
    local mask = a.dtype == "bool" and a or xp.not_equal(a, 0)
    return xp.sum(mask, {axis = axis, keepdims = keepdims})
  end)
  define("ptp", {"a", "axis", "keepdims"}, function(a, axis, keepdims)
    a = lib.array(a, "ptp")
    return lib.plain(xp.subtract(lib.reduced("max", a, axis, keepdims),
                                 lib.reduced("min", a, axis, keepdims)))
  end)
end

-- Weights along `axis` of an array, as its shape.
local function weights_along(lib, a, w, axis)
  if w.ndim >= a.ndim then return w end
  if type(axis) ~= "number" or w.ndim ~= 1 then
    lib.fail("average", "ValueError", lib.either(
      "weights of another shape than the array's go along one axis",
      "weights of shape %s for an array of shape %s: give the axis of " ..
      "weights with one axis"), core.shape_text(w.shape),
      core.shape_text(a.shape))
  end
  axis = lib.axis(axis, a.ndim, "average")
  if lib.either(w.size ~= a.shape[axis + 1], false) then
    lib.fail("average", nil,
             "there are %d weights, and axis %d has %d elements", w.size, axis,
             a.shape[axis + 1])
  end
  local others = {}
  for d = 0, a.ndim - 1 do
    if d ~= axis then others[#others + 1] = d end
  end
  return lib.insert_axes(w, others)
end

local function averaging(lib, define)
  local xp = lib.xp
  define("average", {"a", "axis", "weights", "returned", "keepdims"},
         function(a, axis, weights, returned, keepdims)
    a = lib.array(a, "average")
    local options = {axis = axis, keepdims = keepdims}
    if weights == nil then
      local mean = xp.mean(a, options)
      if not returned then return mean end
      return mean, lib.full_like(mean, a.size / xp.size(mean))
    end
    weights = weights_along(lib, a, lib.array(weights, "average"), axis)
    a, weights = lib.weighed(a, weights)
    local total = xp.sum(weights, options)
    if lib.either(xp, nil) and xp.any(xp.equal(total, 0)) then
      lib.fail("average", nil, "the weights sum to zero")
    end
    local mean = xp.divide(xp.sum(xp.multiply(a, weights), options), total)
    if returned then return mean, total end
    return mean
  end)
end

-- ---- Without NaN ----

-- The names of the function's arguments, as it has them in NumPy or JAX, and
-- the options for another one with these values.
local function options_of(names, ...)
  local o = {}
  for i = 2, #names do o[names[i]] = (select(i - 1, ...)) end
  return o
end

local function sums(lib, define)
  local xp = lib.xp
  local names = lib.either({"a", "axis", "dtype", "keepdims"}, {
    "a", "axis", "dtype", "keepdims", "initial", "where", "out"})
  local running = {"a", "axis", "dtype", lib.either("keepdims", "out")}
  -- NaN becomes an element that changes nothing.
  for name, row in pairs{
    nansum = {"sum", 0, names}, nanprod = {"prod", 1, names},
    nancumsum = {"cumsum", 0, running}, nancumprod = {"cumprod", 1, running},
  } do
    local plain, neutral, own = table.unpack(row)
    local array = own == names and lib.array or lib.array_or_table
    define(name, own, function(a, ...)
      a = array(a, name)
      if lib.is_float(a) then a = xp.where(xp.isnan(a), neutral, a) end
      return xp[plain](a, options_of(own, ...))
    end)
  end
  local mean = lib.either(names, {"a", "axis", "dtype", "keepdims", "where",
                                  "out"})
  local spread = lib.either(
    {"a", "axis", "dtype", "ddof", "keepdims"},
    {"a", "axis", "dtype", "ddof", "keepdims", "where", "mean", "correction",
     "out"})
  for name, row in pairs{nanmean = {"mean", mean}, nanvar = {"var", spread},
                         nanstd = {"std", spread}} do
    local plain, own = table.unpack(row)
    define(name, own, function(a, ...)
      a = lib.array(a, name)
      local o = options_of(own, ...)
      if lib.is_float(a) then
        local known = lib.is_known(a)
        o.where = o.where ~= nil and xp.logical_and(known, o.where) or known
      end
      return lib.masked(plain, a, o)
    end)
  end
end

local function extremes(lib, define)
  local xp = lib.xp
  local names = lib.either({"a", "axis", "keepdims"}, {
    "a", "axis", "keepdims", "initial", "where", "out"})
  for plain, worst in pairs{min = math.huge, max = -math.huge} do
    define("nan" .. plain, names, function(a, ...)
      a = lib.array(a, "nan" .. plain)
      local o = options_of(names, ...)
      if not lib.is_float(a) then return xp[plain](a, o) end
      local unknown = xp.isnan(a)
      local r = xp[plain](xp.where(unknown, worst, a), o)
      if o.initial ~= nil then return r end
      local none = xp.all(unknown, {axis = o.axis, keepdims = o.keepdims})
      return lib.plain(xp.where(none, xp.nan, r))
    end)
  end
  local places = lib.either(names, {"a", "axis", "keepdims", "out"})
  for plain, worst in pairs{argmin = math.huge, argmax = -math.huge} do
    local name = "nan" .. plain
    define(name, places, function(a, ...)
      a = lib.array(a, name)
      local o = options_of(places, ...)
      if not lib.is_float(a) then return xp[plain](a, o) end
      local unknown = xp.isnan(a)
      local at = xp[plain](xp.where(unknown, worst, a), o)
      local none = xp.all(unknown, {axis = o.axis, keepdims = o.keepdims})
      return lib.found(name, at, none)
    end)
  end
end

-- ---- Sums of exponentials ----

-- A result with its reduced axes put back as ones.
local function kept(lib, r, shape, axes)
  local wide = table.move(shape, 1, #shape, 1, {})
  for _, d in ipairs(axes) do wide[d + 1] = 1 end
  return lib.reshape(r, wide)
end

local function exponentials(lib, define)
  local xp = lib.xp
  local names = {"a", "axis", "b", "keepdims"}
  names = lib.either(names, {"a", "axis", "b", "keepdims", "return_sign",
                             "where"})
  -- log(sum(b exp(a))), by way of the largest element.
  define("logsumexp", names, function(a, axis, b, keepdims, with_sign, where)
    a = lib.strong_floats(lib.array(a, "logsumexp"))
    local t = a.dtype
    if b ~= nil then
      a, b = lib.both_floats("logsumexp", a, b)
      a = xp.where(xp.not_equal(b, 0), a, -math.huge)
    end
    if where ~= nil then a = xp.where(where, a, -math.huge) end
    local axes = lib.axes(axis, a.ndim, "logsumexp")
    local most = lib.finite_max(a, axes)
    local e = xp.exp(xp.subtract(a, kept(lib, most, a.shape, axes)))
    if b ~= nil then e = xp.multiply(e, b) end
    local total = lib.sums(e, axes)
    local sign = xp.sign(total)
    local r = xp.add(xp.log(xp.abs(total)), most)
    if not with_sign and b ~= nil then
      r = xp.where(xp.less(sign, 0), xp.nan, r)
    end
    if keepdims then r = kept(lib, r, a.shape, axes) end
    if with_sign and keepdims then sign = kept(lib, sign, a.shape, axes) end
    if with_sign then return r, sign end
    return lib.plain(lib.either(xp.astype(r, t), r))
  end)
end

-- ---- Covariance ----

-- The variables as rows.
local function variables(lib, x, rowvar, is_second)
  local is_line = x.ndim < 2 or
                  lib.either(false, is_second and x.shape[1] == 1)
  if lib.either(x.ndim > 2, false) then
    lib.fail("cov", nil, "the array has %d axes, and at most two are possible",
             x.ndim)
  end
  x = lib.xp.atleast_2d(x)
  return rowvar == false and not is_line and lib.xp.transpose(x) or x
end

-- What the sums of products are divided by.
local function freedom(lib, total, w, a, ddof)
  if ddof == 0 then return total end
  local less = a and ddof * lib.xp.sum(w * a) / total or ddof
  local by = total - less
  return lib.either(type(by) == "number" and math.max(by, 0.0) or by, by)
end

local function covariance(lib, define)
  local xp = lib.xp
  define("cov", {"m", "y", "rowvar", "bias", "ddof", "fweights", "aweights"},
         function(m, y, rowvar, bias, ddof, fweights, aweights)
    m, y = lib.observations(m, y)
    local x = variables(lib, m, rowvar)
    if y ~= nil then
      x = xp.concatenate({x, variables(lib, y, rowvar, true)}, 0)
    end
    local rows, n = x.shape[1], x.shape[2]
    if n == 0 then -- no mean to be off from
      return lib.plain(xp.full(rows == 1 and {} or {rows, rows}, xp.nan,
                               x.dtype))
    end
    ddof = ddof or (bias and 0 or 1)
    local counts = lib.observation_weights(fweights, "fweights", n)
    local a = lib.observation_weights(aweights, "aweights", n)
    local w = counts and a and counts * a or counts or a
    local total = w and xp.sum(w) or n
    local mean = w and xp.sum(x * w, {axis = 1, keepdims = true}) / total or
                 xp.mean(x, {axis = 1, keepdims = true})
    x = xp.subtract(x, mean)
    local products = xp.dot(x, xp.transpose(w and x * w or x))
    local r = xp.divide(products, freedom(lib, total, w, a, ddof))
    return lib.plain(xp.squeeze(r))
  end)
  define("corrcoef", {"x", "y", "rowvar"}, function(x, y, rowvar)
    local c = xp.cov(x, y, rowvar)
    if xp.ndim(c) == 0 then return xp.divide(c, c) end
    local d = xp.sqrt(xp.diag(c))
    c = xp.divide(xp.divide(c, lib.insert_axes(d, {1})),
                  lib.insert_axes(d, {0}))
    return xp.clip(c, -1, 1)
  end)
end

core.family(function(lib)
  local define = lib.define
  counting(lib, define)
  averaging(lib, define)
  sums(lib, define)
  extremes(lib, define)
  exponentials(lib, define)
  covariance(lib, define)
end)
