-- SPDX-License-Identifier: Apache-2.0
-- Reductions over axes, which then are gone, and running ones along one axis.
local use = ...
local core = use("core")
local lax = use("lax")
local np = use.np

local function reduced_shape(shape, axes)
  local gone, out = {}, {}
  for _, d in ipairs(axes) do gone[d + 1] = true end
  for d, n in ipairs(shape) do
    if not gone[d] then out[#out + 1] = n end
  end
  return out
end

-- The axes that stay, as dimensions of the full shape.
local function kept_axes(rank, axes)
  local gone, kept = {}, {}
  for _, d in ipairs(axes) do gone[d] = true end
  for d = 0, rank - 1 do
    if not gone[d] then kept[#kept + 1] = d end
  end
  return kept
end

-- A result of the reduction, as big as what was reduced.
local function spread(x, like, axes)
  local shape = core.shape_of(like)
  return lax.broadcast_in_dim(x, shape, kept_axes(#shape, axes))
end

local function batch_rule(name)
  return function(p, _, values, dims)
    local axes, to = {}, dims[1]
    for i, d in ipairs(p.axes) do
      axes[i] = d < dims[1] and d or d + 1
      if d < dims[1] then to = to - 1 end
    end
    local params = {}
    for k, v in pairs(p) do params[k] = v end
    params.axes = axes
    return core.bind(core.prims[name], params, values), {to}
  end
end

local function over(f)
  return function(p, x)
    if #p.axes == 0 then return x end
    -- From the last axis on, so that the others keep their numbers.
    local axes = table.move(p.axes, 1, #p.axes, 1, {})
    table.sort(axes, function(a, b) return a > b end)
    for _, d in ipairs(axes) do
      local dtype, result = x.dtype, f(x, d)
      -- A sum of 64 bits wraps to the type's.
      if math.type(result) == "integer" then
        result = np.asarray(result, "i64"):astype(dtype)
      end
      x = np.asarray(result, dtype)
    end
    return x
  end
end

local function define(name, eval, kinds, diff, emit)
  core.define{
    name = name,
    eval = over(eval),
    shape = function(p, x)
      for _, d in ipairs(p.axes) do
        if d < 0 or d >= #x.shape then
          core.fail("argument", "ValueError", "%s: axis %d of an array of " ..
                    "shape %s", name, d, core.shape_text(x.shape))
        end
      end
      if not x.dtype:find(kinds) then
        core.fail("argument", "TypeError", "%s is not for type %s", name,
                  x.dtype)
      end
      return core.aval(reduced_shape(x.shape, p.axes), x.dtype, x.weak)
    end,
    batch = batch_rule(name),
    diff = diff,
    emit = {reduce = emit},
  }
  lax[name] = function(x, axes)
    if #axes == 0 then return x end
    return core.bind1(name, {axes = axes}, x)
  end
end

define("reduce_sum", function(x, d) return np.sum(x, d) end, "^[iubf]",
       {jvp = function(p, _, t) return {lax.reduce_sum(t[1], p.axes)} end,
        vjp = function(p, cts, values)
          return {cts[1] and spread(cts[1], values[1], p.axes)}
        end},
       {start = "0", step = "$1 + $2"})

-- The cotangent goes to where the extreme is, in equal parts to equals.
local function where_extreme(p, x, out)
  local is_it = lax.convert_element_type(lax.eq(x, spread(out, x, p.axes)),
                                         core.dtype_of(x))
  return lax.div(is_it, spread(lax.reduce_sum(is_it, p.axes), x, p.axes))
end
local extreme = {
  jvp = function(p, values, t, outputs)
    local weights = where_extreme(p, values[1], outputs[1])
    return {lax.reduce_sum(lax.mul(weights, t[1]), p.axes)}
  end,
  vjp = function(p, cts, values, outputs)
    if not cts[1] then return {false} end
    return {lax.mul(where_extreme(p, values[1], outputs[1]),
                    spread(cts[1], values[1], p.axes))}
  end,
}
-- What stands for the extreme of no elements: of them all, the last to win.
local function limit(t, is_low)
  if t:find("^b?f") then return is_low and -math.huge or math.huge end
  if t == "bool" then return not is_low end
  local n = tonumber(t:sub(2))
  if t:sub(1, 1) == "u" then return is_low and 0 or (1 << n) - 1 end
  return is_low and -(1 << n - 1) or (1 << n - 1) - 1
end

-- NumPy has no extreme of nothing, XLA has.
local function or_limit(f, is_low)
  return function(x, d)
    if x.shape[d + 1] > 0 then return f(x, d) end
    return np.full(reduced_shape(x.shape, {d}), limit(x.dtype, is_low), x.dtype)
  end
end

define("reduce_max", or_limit(np.max, true), "^[iubf]", extreme,
       {start = "LOWEST", step = "($1 > $2 || $1 != $1 ? $1 : $2)"})
define("reduce_min", or_limit(np.min, false), "^[iubf]", extreme,
       {start = "HIGHEST", step = "($1 < $2 || $1 != $1 ? $1 : $2)"})
define("reduce_and", function(x, d) return np.all(x, d) end, "^bool", false,
       {start = "1", step = "$1 & $2"})
define("reduce_or", function(x, d) return np.any(x, d) end, "^bool", false,
       {start = "0", step = "$1 | $2"})
