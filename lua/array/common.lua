-- SPDX-License-Identifier: Apache-2.0
-- Functions that are made of others, for np and for jnp alike: core.common(xp,
-- into) puts those that `into` has no own ones of there, in terms of xp's.
local np, fail, _, core = ...
local pi = math.pi

-- ---- Windows for signals ----

-- 0 ... n - 1 by n - 1, as floats.
local function windows(xp, define)
  local function cosine(name, a, b, c)
    define(name, {"M"}, function(n)
      if n <= 1 then return xp.ones(math.max(n, 0)) end
      local at = xp.arange(0.0, n + 0.0) * (2 * pi / (n - 1))
      return a - b * xp.cos(at) + c * xp.cos(2 * at)
    end)
  end
  cosine("hanning", 0.5, 0.5, 0.0)
  cosine("hamming", 0.54, 0.46, 0.0)
  cosine("blackman", 0.42, 0.5, 0.08)
  define("bartlett", {"M"}, function(n)
    if n <= 1 then return xp.ones(math.max(n, 0)) end
    return 1 - xp.abs(xp.arange(0.0, n + 0.0) * (2 / (n - 1)) - 1)
  end)
  define("kaiser", {"M", "beta"}, function(n, beta)
    if n <= 1 then return xp.ones(math.max(n, 0)) end
    local at = xp.arange(0.0, n + 0.0) * (2 / (n - 1)) - 1
    return xp.i0(beta * xp.sqrt(xp.maximum(1 - at * at, 0.0))) /
           xp.i0(beta + 0.0)
  end)
end

-- ---- Places ----

local function places(xp, define)
  define("diag_indices", {"n", "ndim"}, function(n, ndim)
    local list = {}
    for d = 1, ndim or 2 do list[d] = xp.arange(n) end
    return table.unpack(list)
  end)
  define("diag_indices_from", {"arr"}, function(a)
    local shape = a.shape
    for d = 2, #shape do
      if shape[d] ~= shape[1] or #shape < 2 then
        fail("diag_indices_from: all axes of " .. core.shape_text(shape) ..
             " must be of equal size")
      end
    end
    return xp.diag_indices(shape[1], #shape)
  end)
  for _, name in ipairs{"tril_indices", "triu_indices"} do
    define(name .. "_from", {"arr", "k"}, function(a, k)
      local shape = a.shape
      if #shape ~= 2 then
        fail(name .. "_from: an array with two axes, not of shape " ..
             core.shape_text(shape))
      end
      return xp[name](shape[1], k or 0, shape[2])
    end)
  end
  define("mask_indices", {"n", "mask_func", "k"}, function(n, f, k)
    return xp.nonzero(xp.not_equal(f(xp.ones{n, n}, k or 0), 0))
  end)
  -- Arrays that meet in a grid: x[np.ix_(rows, columns)].
  define("ix_", nil, function(...)
    local list = {...}
    for i, a in ipairs(list) do
      a = xp.asarray(a)
      if a.dtype == "bool" then a = xp.flatnonzero(a) end
      local shape = {}
      for d = 1, #list do shape[d] = d == i and a.size or 1 end
      list[i] = xp.reshape(a, shape)
    end
    return list
  end)
end

-- ---- Axes and products ----

local function axes(xp, define)
  define("matvec", {"x1", "x2"}, function(a, v)
    return xp.squeeze(xp.matmul(a, xp.expand_dims(xp.asarray(v), -1)), -1)
  end)
  define("vecmat", {"x1", "x2"}, function(v, a)
    return xp.squeeze(xp.matmul(xp.expand_dims(xp.asarray(v), -2), a), -2)
  end)
  for name, own in pairs{cumulative_sum = "cumsum",
                         cumulative_prod = "cumprod"} do
    define(name, {"x", "axis", "dtype", "include_initial"},
           function(x, axis, dtype, include_initial)
      x = xp.asarray(x)
      if axis == nil and x.ndim ~= 1 then
        fail(name .. ": an array with several axes needs the axis")
      end
      axis = axis or 0
      -- Small integers become what sums of them are, as in JAX.
      local is_whole = not x.dtype:find("f", 1, true)
      if own == "cumsum" and dtype == nil and is_whole then
        x = xp.sum(x, {axis = {}})
      end
      local r = xp[own](x, {axis = axis, dtype = dtype})
      if not include_initial then return r end
      local shape = r.shape
      shape[axis % #shape + 1] = 1
      local first = xp.full(shape, own == "cumsum" and 0 or 1, r.dtype)
      return xp.concatenate({first, r}, axis)
    end)
  end
end

-- ---- Elements ----

local function elements(xp, define)
  define("unwrap", {"p", "discont", "axis", "period"},
         function(p, discont, axis, period)
    p, axis, period = xp.asarray(p), axis or -1, period or 2 * pi
    local steps, half = xp.diff(p, {axis = axis}), period / 2
    local by = xp.mod(steps + half, period) - half
    by = xp.where(xp.logical_and(xp.equal(by, -half), xp.greater(steps, 0)),
                  half, by)
    local less = xp.less(xp.abs(steps), discont or half)
    local moved = xp.cumsum(xp.where(less, 0.0, by - steps), axis)
    local shape = p.shape
    shape[axis % #shape + 1] = 1
    return p + xp.concatenate({xp.zeros(shape, moved.dtype), moved}, axis)
  end)
  define("spacing", {"x"}, function(x)
    x = xp.asarray(x)
    if not x.dtype:find("f", 1, true) then x = xp.rint(x) end
    return xp.copysign(xp.nextafter(xp.abs(x), xp.full_like(x, math.huge)) -
                       xp.abs(x), x)
  end)
end

-- ---- Kinds of values ----

local integers = {["signed integer"] = "^i", ["unsigned integer"] = "^u",
                  integral = "^[iu]", ["real floating"] = "^b?f",
                  numeric = "^[iubf]", bool = "^bool$"}

local function kinds(xp, define)
  local is_pair = core.is_complex
  define("dtype", {"dtype"}, function(t) return xp.promote_types(t, t) end)
  define("isdtype", {"dtype", "kind"}, function(t, kind)
    t = xp.promote_types(t, t)
    for _, k in ipairs(type(kind) == "table" and kind or {kind}) do
      if integers[k] and t:find(integers[k]) and
         (k ~= "numeric" or t ~= "bool") then
        return true
      end
      if not integers[k] and xp.promote_types(k, k) == t then return true end
    end
    return false
  end)
  define("isrealobj", {"x"}, function(x) return not is_pair(x) end)
  define("iscomplexobj", {"x"}, function(x) return is_pair(x) end)
  define("isreal", {"x"}, function(x)
    if is_pair(x) then return xp.equal(x.imag, 0) end
    return xp.ones(xp.asarray(x).shape, "bool")
  end)
  define("iscomplex", {"x"}, function(x)
    return xp.logical_not(xp.isreal(x))
  end)
end

-- ---- Polynomials: the highest power first ----

local function polynomials(xp, define)
  define("polydiv", {"u", "v"}, function(u, v)
    local r = xp.atleast_1d(xp.asarray(u)) * 1.0
    v = xp.atleast_1d(xp.asarray(v)) * 1.0
    local m, n, q = r.size, v.size, {}
    if m < n then return xp.zeros(1, r.dtype), r end
    for k = 0, m - n do
      q[k + 1] = r[k] / v[0]
      r = r - xp.concatenate{xp.zeros(k, r.dtype), v * q[k + 1],
                             xp.zeros(m - n - k, r.dtype)}
    end
    if xp == np then -- a remainder without zeros in front
      r = n == 1 and xp.zeros(1, r.dtype) or r[("%d:"):format(m - n + 1)]
      while r.size > 1 and math.abs(r[0]) < 1e-8 do r = r["1:"] end
    end
    return xp.stack(q), r
  end)
  define("poly", {"seq_of_zeros"}, function(zeros)
    zeros = xp.atleast_1d(xp.asarray(zeros)) * 1.0
    if zeros.ndim ~= 1 then
      fail("poly: it takes zeros, an array with one axis; those of a matrix " ..
           "are linalg.eigvalsh(x)")
    end
    local p = xp.ones(1, zeros.dtype)
    for i = 0, zeros.size - 1 do
      p = xp.concatenate{p, xp.zeros(1, p.dtype)} -
          xp.concatenate{xp.zeros(1, p.dtype), p * zeros[i]}
    end
    return p
  end)
end

-- ---- Sets and counts ----

local function histogramdd(xp, sample, bins, range, weights, density)
  if type(sample) == "table" and not getmetatable(sample) and
     type(sample[1]) ~= "number" then
    sample = xp.stack(sample, 1)
  end
  sample = xp.asarray(sample)
  if sample.ndim == 1 then sample = xp.expand_dims(sample, 1) end
  local rank = sample.shape[2]
  local edges, shape, inside, flat = {}, {}, nil, nil
  for d = 1, rank do
    local x = sample[(":, %d"):format(d - 1)]
    local own = bins == nil and 10 or bins
    if type(bins) == "table" and not getmetatable(bins) then own = bins[d] end
    local e = xp.histogram_bin_edges(x, own, range and range[d])
    local n = e.size - 1
    local at = xp.searchsorted(e, x, {side = "right"}) - 1
    at = xp.where(xp.equal(x, e[-1]), n - 1, at)
    local fits = xp.logical_and(xp.greater_equal(at, 0), xp.less(at, n))
    inside = inside == nil and fits or xp.logical_and(inside, fits)
    flat = flat == nil and at or flat * n + at
    edges[d], shape[d] = e, n
  end
  local total = core.size(shape)
  local counts = xp.bincount(xp.where(inside, flat, total), weights,
                             {minlength = total + 1})
  counts = xp.reshape(counts[(":%d"):format(total)], shape)
  if xp == np then counts = counts:astype("f64") end
  if density then
    counts = counts / xp.sum(counts)
    for d = 1, rank do
      local wide = {}
      for k = 1, rank do wide[k] = k == d and shape[d] or 1 end
      counts = counts / xp.reshape(xp.diff(edges[d]), wide)
    end
  end
  return counts, edges
end

local function sets(xp, define)
  define("unique_values", {"x"}, function(x) return xp.unique(x) end)
  define("unique_counts", {"x"}, function(x)
    return xp.unique(x, {return_counts = true})
  end)
  define("unique_inverse", {"x"}, function(x)
    x = xp.asarray(x)
    local values, inverse = xp.unique(x, {return_inverse = true})
    return values, xp.reshape(inverse, x.shape)
  end)
  define("unique_all", {"x"}, function(x)
    x = xp.asarray(x)
    local values, first, inverse, counts = xp.unique(x, {
      return_index = true, return_inverse = true, return_counts = true})
    return values, first, xp.reshape(inverse, x.shape), counts
  end)
  define("trim_zeros", {"filt", "trim"}, function(x, trim)
    x = xp.asarray(x)
    local at = np.flatnonzero(np.asnumpy(x))
    if at.size == 0 then return x["0:0"] end
    trim = (trim or "fb"):lower()
    local from = trim:find("f", 1, true) and at[0] or 0
    local to = trim:find("b", 1, true) and at[-1] + 1 or x.size
    return x[("%d:%d"):format(from, to)]
  end)
  define("histogramdd", {"sample", "bins", "range", "weights", "density"},
         function(...) return histogramdd(xp, ...) end)
  define("histogram2d", {"x", "y", "bins", "range", "weights", "density"},
         function(x, y, bins, range, weights, density)
    if type(bins) == "number" then bins = {bins, bins} end
    local h, e = xp.histogramdd(xp.stack({xp.asarray(x), xp.asarray(y)}, 1),
      {bins = bins, range = range, weights = weights, density = density})
    return h, e[1], e[2]
  end)
end

-- Rows (or what lies along another axis) that are there once: sorted by their
-- first element, then by the second, and so on.
local function unique_along(xp, a, axis)
  a = xp.moveaxis(a, axis, 0)
  local shape = a.shape
  local n = shape[1]
  local width = core.size(table.move(shape, 2, #shape, 1, {}))
  local order, is_new = xp.arange(n), xp.equal(xp.arange(n), 0)
  if n > 1 and width > 0 then
    local flat, keys = xp.reshape(a, {n, width}), {}
    for j = width, 1, -1 do keys[#keys + 1] = flat[(":, %d"):format(j - 1)] end
    order = xp.lexsort(keys)
    local sorted = xp.take(flat, order, 0)
    local differs = xp.any(xp.not_equal(sorted["1:"], sorted[":-1"]), 1)
    is_new = xp.concatenate{xp.ones(1, "bool"), differs}
  end
  local first = xp.flatnonzero(is_new)
  local index = xp.take(order, first)
  local inverse = xp.take(xp.cumsum(xp.astype(is_new, order.dtype)) - 1,
                          xp.argsort(order))
  local counts = xp.diff(xp.concatenate{first, xp.full(1, n, first.dtype)})
  return xp.moveaxis(xp.take(a, index, 0), 0, axis), index, inverse, counts
end

-- `unique` with an axis, around the own one, which takes all elements.
local function unique(xp, into)
  local own = into.unique
  core.define(into, "unique", {"ar", "return_index", "return_inverse",
    "return_counts", "axis", "equal_nan", "size", "fill_value"},
    function(a, index, inverse, counts, axis, equal_nan, size, fill)
    if axis == nil then
      local options = {return_index = index, return_inverse = inverse,
                       return_counts = counts, equal_nan = equal_nan,
                       size = size, fill_value = fill}
      if next(options) == nil then return own(a) end
      return own(a, options)
    elseif size ~= nil then
      fail("unique: `size` is there for all elements, not along an axis")
    end
    local values, first, back, n = unique_along(xp, xp.asarray(a), axis)
    local list = {values}
    if index then list[#list + 1] = first end
    if inverse then list[#list + 1] = back end
    if counts then list[#list + 1] = n end
    return table.unpack(list)
  end)
end

-- ---- Bits ----

local function bits(xp, define)
  local function weights(order)
    local list = {128, 64, 32, 16, 8, 4, 2, 1}
    if order == "little" then table.sort(list) end
    return xp.array(list, "u8")
  end
  local function lines(x, axis)
    if axis == nil then return xp.ravel(x), 0 end
    return xp.moveaxis(x, axis, -1), axis
  end
  define("packbits", {"a", "axis", "bitorder"}, function(a, axis, order)
    local x, back = lines(xp.not_equal(xp.asarray(a), 0), axis)
    local shape = x.shape
    local n = shape[#shape]
    local width = {}
    for d = 1, #shape do width[d] = {0, d == #shape and -n % 8 or 0} end
    x = xp.astype(xp.pad(xp.astype(x, "u8"), width), "u8")
    shape[#shape], shape[#shape + 1] = (n + 7) // 8, 8
    x = xp.sum(xp.reshape(x, shape) * weights(order), {axis = -1, dtype = "u8"})
    return axis == nil and x or xp.moveaxis(x, -1, back)
  end)
  define("unpackbits", {"a", "axis", "count", "bitorder"},
         function(a, axis, count, order)
    local x, back = lines(xp.asarray(a), axis)
    if x.dtype ~= "u8" then
      fail("unpackbits: it takes an array of type u8, not " .. x.dtype)
    end
    local shape = x.shape
    local w = weights(order)
    x = xp.not_equal(xp.bitwise_and(xp.expand_dims(x, -1), w), 0)
    local n = shape[#shape] * 8
    shape[#shape] = n
    x = xp.astype(xp.reshape(x, shape), "u8")
    if count then
      if count < 0 then count = n + count end
      if count > n then -- zeros follow
        shape[#shape] = count - n
        x = xp.concatenate({x, xp.zeros(shape, "u8")}, -1)
      end
      x = x[("..., 0:%d"):format(count)]
    end
    return axis == nil and x or xp.moveaxis(x, -1, back)
  end)
end

--- Puts what `into` lacks there.
function core.common(xp, into)
  local function define(name, names, f)
    if rawget(into, name) ~= nil then return end
    if not names then into[name] = f else core.define(into, name, names, f) end
  end
  windows(xp, define)
  places(xp, define)
  axes(xp, define)
  elements(xp, define)
  kinds(xp, define)
  polynomials(xp, define)
  sets(xp, define)
  unique(xp, into)
  bits(xp, define)
end
core.common(np, np)
