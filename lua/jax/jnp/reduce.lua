-- SPDX-License-Identifier: Apache-2.0
-- jnp: reductions. All take axis (a number or a table of them; all axes without
-- one) and keepdims, most also where and initial.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local jnp = use.jnp
local np = use.np
local M = {}

local huge = math.huge
local function dtype_of(x) return core.dtype_of(x) end

-- The arguments after the array, in NumPy's order; a bool in the place of the
-- dtype is keepdims.
local function options(name, names, ...)
  local o = args.named(name, names, ...)
  if type(o.dtype) == "boolean" then
    o.dtype, o.keepdims = nil, o.dtype
  end
  if o.out ~= nil then
    core.fail("unsupported", "NotImplementedError",
              "%s: the 'out' argument is " ..
              "not supported: jax arrays are immutable", name)
  end
  if o.where ~= nil then
    local t = dtype_of(args.value(args.is_list(o.where) and
                                  jnp.array(o.where) or o.where, name))
    if t ~= "bool" then
      args.fail(name, "ValueError", "where must be None or a boolean array; " ..
                "got where.dtype=%s. A comparison gives one: x:gt(0)", t)
    end
  end
  return o
end

local sum_names = {"axis", "dtype", "keepdims", "initial", "where", "out"}
local max_names = {"axis", "keepdims", "initial", "where", "out"}

-- A result with its reduced axes put back as ones.
local function kept(result, x, axes, keepdims)
  if not keepdims then return result end
  local shape = args.copy(core.shape_of(x))
  for _, d in ipairs(axes) do shape[d + 1] = 1 end
  return lax.reshape(result, shape)
end

local function count_of(x, axes)
  local n = 1
  for _, d in ipairs(axes) do n = n * core.shape_of(x)[d + 1] end
  return n
end

-- x where the mask holds, else `other`.
local function masked(x, where, other)
  if where == nil then return x end
  local t = dtype_of(x)
  return jnp.where(where, x, args.as_type(args.value(other, "where"), t))
end

-- bool and narrow integers are summed in the default width.
local function sum_type(t)
  if t == "bool" then return config.int() end
  if t:find("^i") then return t == "i64" and t or config.int() end
  if t:find("^u") then return (t == "u64" or config.x64) and "u64" or "u32" end
  return t
end

local function small(t) return t == "f16" or t == "bf16" end

-- ---- Sums and products ----

local function accumulate(name, prim, neutral, combine)
  M[name] = function(x, ...)
    local o = options(name, sum_names, ...)
    x = args.array(x, name)
    local t = args.dtype(o.dtype, name) or sum_type(dtype_of(x))
    local axes = args.axes(o.axis, #core.shape_of(x), name)
    -- Of 16 bits, the sum is taken in f32 and rounded once; of truths, counted.
    local wide = small(t) and "f32" or t == "bool" and "i32" or t
    if t == "bool" then x = args.as_type(x, t) end
    x = masked(args.as_type(x, wide), o.where, neutral)
    local r = lax[prim](x, axes)
    if o.initial ~= nil then
      local first = args.as_type(args.value(o.initial, name), t)
      r = lax[combine](args.as_type(first, wide), r)
    end
    return kept(args.as_type(r, t), x, axes, o.keepdims)
  end
end
accumulate("sum", "reduce_sum", 0, "add")
accumulate("prod", "reduce_prod", 1, "mul")

-- ---- Extremes ----

-- The value that every other one beats.
local function worst(t, is_max)
  if types.is_float(t) then return is_max and -huge or huge end
  if t == "bool" then return not is_max end
  local low, high = args.limits(t)
  return is_max and low or high
end

local function check_not_empty(name, x, axes)
  if count_of(x, axes) == 0 and core.size(core.shape_of(x)) == 0 then
    for _, d in ipairs(axes) do
      if core.shape_of(x)[d + 1] == 0 then
        args.fail(name, "ValueError",
                  "zero-size array to reduction operation " ..
                  "%s which has no identity", name)
      end
    end
  end
end

local function extreme(name, is_max)
  local prim, combine = "reduce_" .. name, name
  M[name] = function(x, ...)
    local o = options(name, max_names, ...)
    x = args.array(x, name)
    local axes = args.axes(o.axis, #core.shape_of(x), name)
    if o.initial == nil then check_not_empty(name, x, axes) end
    if o.where ~= nil and o.initial == nil then
      args.fail(name, "ValueError",
                "reduction operation %s does not have an " ..
                "identity, so to use a where mask one has to specify 'initial'",
                name)
    end
    local t = dtype_of(x)
    x = masked(x, o.where, worst(t, is_max))
    local r = lax[prim](x, axes)
    if o.initial ~= nil then
      r = lax[combine](args.as_type(args.value(o.initial, name), t), r)
    end
    return kept(args.as_type(r, t), x, axes, o.keepdims)
  end
end
extreme("max", true)
extreme("min", false)
local function arg_extreme(name)
  local plain = "arg" .. name
  M[plain] = function(x, ...)
    local o = options(plain, {"axis", "keepdims", "out"}, ...)
    x = args.array(x, plain)
    local rank = #core.shape_of(x)
    if o.axis == nil then
      local flat = lax.reshape(x, {core.size(core.shape_of(x))})
      check_not_empty(plain, flat, {0})
      return kept(lax[plain](flat, 0), x, args.axes(nil, rank, plain),
                  o.keepdims)
    end
    local axis = args.axis(o.axis, rank, plain)
    check_not_empty(plain, x, {axis})
    return kept(lax[plain](x, axis), x, {axis}, o.keepdims)
  end
end
arg_extreme("max")
arg_extreme("min")

-- ---- Truth ----

local function truth(name, prim, neutral)
  M[name] = function(x, ...)
    local o = options(name, {"axis", "keepdims", "where", "out"}, ...)
    x = args.array(x, name)
    if dtype_of(x) ~= "bool" then x = jnp.not_equal(x, 0) end
    local axes = args.axes(o.axis, #core.shape_of(x), name)
    x = masked(x, o.where, neutral)
    return kept(lax[prim](x, axes), x, axes, o.keepdims)
  end
end
truth("all", "reduce_and", true)
truth("any", "reduce_or", false)

-- ---- Averages ----

local function float_type(name, x, dtype)
  return args.dtype(dtype, name) or types.inexact(dtype_of(x))
end

-- How many elements each result counts: a number, or an array under a mask.
local function counted(x, axes, o, t)
  if o.where == nil then return count_of(x, axes) + 0.0 end
  local mask = args.filled(args.value(o.where, "where"), core.shape_of(x))
  local n = lax.reduce_sum(lax.convert_element_type(mask, t), axes)
  return kept(n, x, axes, o.keepdims)
end

function M.mean(x, ...)
  local o = options("mean", {"axis", "dtype", "keepdims", "where", "out"}, ...)
  x = args.array(x, "mean")
  local t = float_type("mean", x, o.dtype)
  local wide = small(t) and "f32" or t
  local axes = args.axes(o.axis, #core.shape_of(x), "mean")
  local n = counted(x, axes, o, wide)
  local total = M.sum(x, {axis = o.axis, dtype = wide, keepdims = o.keepdims,
                          where = o.where})
  return args.as_type(lax.div(total, n), t)
end

local spread_names = {"axis", "dtype", "ddof", "keepdims", "where", "mean",
                      "correction", "out"}

local function variance(name, x, o)
  x = args.array(x, name)
  local t = float_type(name, x, o.dtype)
  local wide = small(t) and "f32" or t
  x = args.as_type(x, wide)
  local axes = args.axes(o.axis, #core.shape_of(x), name)
  local middle = o.mean or M.mean(x, {axis = o.axis, keepdims = true,
                                      where = o.where})
  local apart = lax.square(jnp.subtract(x, middle))
  local total = M.sum(apart, {axis = o.axis, keepdims = o.keepdims,
                              where = o.where})
  local n = counted(x, axes, o, wide)
  local ddof = o.correction or o.ddof or 0
  n = jnp.subtract(n, ddof)
  local r = jnp.where(jnp.greater(n, 0), jnp.divide(total, n), jnp.nan)
  return args.as_type(r, t)
end

function M.var(x, ...)
  return variance("var", x, options("var", spread_names, ...))
end
function M.std(x, ...)
  return lax.sqrt(variance("std", x, options("std", spread_names, ...)))
end

-- ---- Quantiles ----

-- x with the reduced axes as the last one, sorted; NaNs last.
local function sorted_last(x, axes)
  local rank, order, shape = #core.shape_of(x), {}, {}
  local gone = {}
  for _, d in ipairs(axes) do gone[d] = true end
  for d = 0, rank - 1 do
    if not gone[d] then
      order[#order + 1] = d
      shape[#shape + 1] = core.shape_of(x)[d + 1]
    end
  end
  for _, d in ipairs(axes) do order[#order + 1] = d end
  shape[#shape + 1] = count_of(x, axes)
  return jnp.sort(lax.reshape(lax.transpose(x, order), shape), -1)
end

local function picked(s, i)
  local rank = #core.shape_of(s)
  return lax.squeeze(lax.slice_in_dim(s, i, i + 1, 1, rank - 1), {rank - 1})
end

-- The elements beside a place, of which the second has the share `part` (a
-- number or an array), put together in t, the place's type.
local between = {
  linear = function(low, high, part, t)
    return jnp.add(jnp.multiply(args.as_type(low, t), jnp.subtract(1.0, part)),
                   jnp.multiply(args.as_type(high, t), part))
  end,
  lower = function(low) return low end,
  higher = function(_, high) return high end,
  nearest = function(low, high, part)
    return jnp.where(jnp.less_equal(part, 0.5), low, high)
  end,
  midpoint = function(low, high)
    return jnp.multiply(jnp.add(low, high), 0.5)
  end,
}

local function way(name, o)
  local method = o.method or o.interpolation or "linear"
  return between[method] or
    args.fail(name, "ValueError",
              "method can only be linear, lower, higher, " ..
              "midpoint, or nearest, not %s", tostring(method))
end

-- The quantiles as an array on the host, of the type that JAX computes places
-- in, and what each is to be multiplied with.
local function fractions(name, q, is_percent)
  if core.is_tracer(q) then
    args.fail(name, "ConcretizationTypeError",
              "the quantile must be a number " ..
              "that is known when tracing")
  end
  local is_float_array = type(q) == "userdata" and types.is_float(q.dtype)
  local t = is_float_array and config.width(q.dtype) or config.float()
  q = np.asarray(type(q) == "userdata" and q or np.array(q)):astype(t)
  local most = is_percent and 100 or 1
  if np.any(np.logical_or(np.less(q, 0), np.greater(q, most))) then
    args.fail(name, "ValueError", "quantiles lie between 0 and %d%s", most,
              q.ndim == 0 and (", not at %g"):format(q:item()) or "")
  end
  if is_percent and config.numpy then return np.divide(q, most), 1 end
  return q, 1 / most
end

-- What f gives for each quantile, stacked where there are several.
local function for_each(q, f)
  if q.ndim == 0 then return f(q:item()) end
  local list = {}
  for i, v in ipairs(q:ravel():tolist()) do list[i] = f(v) end
  return jnp.stack(list)
end

-- Where quantile q lies among n elements. JAX's compiler puts the constants
-- together, 0.01 (n - 1) for a percentile, and each is rounded: which element
-- is chosen hangs on it.
local function place_of(q, scale, n, t)
  local last = np.array(n, t) - 1
  return np.multiply(np.array(q, t), last * np.array(scale, t)):item()
end

-- The element at that place of each sorted line.
local function element_at(s, place, t, put)
  local last = core.shape_of(s)[#core.shape_of(s)] - 1
  local low, high = math.floor(place), math.ceil(place)
  local r = put(picked(s, math.min(low, last)), picked(s, math.min(high, last)),
                place - low, t)
  -- A NaN anywhere is sorted last, and shows.
  local greatest = picked(s, last)
  return lax.select_n(lax.ne(greatest, greatest),
                      args.as_type(r, dtype_of(s)), greatest)
end

-- x as floats that are not weak, and the axes to reduce. What has no axes is a
-- row of one, whose axis JAX keeps.
local function quantile_input(name, x, axis)
  x = args.as_float(args.array(x, name))
  x = args.as_type(x, dtype_of(x), false)
  local axes = args.axes(axis, #core.shape_of(x), name)
  if #core.shape_of(x) == 0 and not config.numpy then
    x, axes = lax.reshape(x, {1}), {0}
  end
  check_not_empty(name, x, axes)
  return x, axes
end

local function quantile(name, given, asked, o, is_percent)
  local q, scale = fractions(name, asked, is_percent)
  local put, t = way(name, o), q.dtype
  local x, axes = quantile_input(name, given, o.axis)
  local s, n = sorted_last(x, axes), count_of(x, axes)
  return for_each(q, function(v)
    local r = element_at(s, place_of(v, scale, n, t), t, put)
    return kept(r, x, axes, o.keepdims)
  end)
end

local quantile_names = {"q", "axis", "method", "keepdims", "interpolation"}
function M.quantile(x, ...)
  local o = args.named("quantile", quantile_names, ...)
  return quantile("quantile", x, o.q, o)
end
function M.percentile(x, ...)
  local o = args.named("percentile", quantile_names, ...)
  return quantile("percentile", x, o.q, o, true)
end
function M.median(x, ...)
  local o = options("median", {"axis", "keepdims", "out"}, ...)
  return quantile("median", x, 0.5, {axis = o.axis, keepdims = o.keepdims,
                                     method = "midpoint"})
end

-- ---- Quantiles without NaNs ----

-- Element `place` (an array of whole floats) of each sorted line.
local function at_place(s, place)
  local shape = core.shape_of(s)
  local k = lax.iota(dtype_of(place), shape, #shape - 1)
  local is_there = jnp.equal(k, jnp.expand_dims(place, -1))
  return M.sum(jnp.where(is_there, s, 0.0), {axis = -1})
end

local function nan_quantile(name, given, asked, o, is_percent)
  local q, scale = fractions(name, asked, is_percent)
  local put, t = way(name, o), q.dtype
  local x, axes = quantile_input(name, given, o.axis)
  local s = sorted_last(x, axes)
  local ok = lax.eq(s, s)
  local count = M.sum(lax.convert_element_type(ok, t), {axis = -1})
  s = jnp.where(ok, s, 0.0)
  return for_each(np.multiply(q, np.array(scale, t)), function(part)
    local place = jnp.multiply(count - 1.0, part)
    local low = jnp.floor(place)
    local high = jnp.ceil(place)
    local r = put(at_place(s, low), at_place(s, high), place - low, t)
    r = jnp.where(jnp.equal(count, 0), jnp.nan, args.as_type(r, dtype_of(x)))
    return kept(r, x, axes, o.keepdims)
  end)
end

function M.nanquantile(x, ...)
  local o = args.named("nanquantile", quantile_names, ...)
  return nan_quantile("nanquantile", x, o.q, o)
end
function M.nanpercentile(x, ...)
  local o = args.named("nanpercentile", quantile_names, ...)
  return nan_quantile("nanpercentile", x, o.q, o, true)
end
function M.nanmedian(x, ...)
  local o = options("nanmedian", {"axis", "keepdims", "out"}, ...)
  return nan_quantile("nanmedian", x, 0.5, {
    axis = o.axis, keepdims = o.keepdims, method = "midpoint",
  })
end

return M
