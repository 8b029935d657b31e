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

return M
