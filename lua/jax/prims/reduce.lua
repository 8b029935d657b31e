-- SPDX-License-Identifier: Apache-2.0
-- Reductions over axes, which then are gone, and running ones along one axis.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local config = use("core/config")
local emit = use("compile/emit")
local plan = use("compile/plan")
local ad = use("transforms/ad")
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

local function define(name, eval, kinds, diff, emitted)
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
    emit = {reduce = emitted},
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

-- ---- Products ----

-- The product as a tree of products of halves. Its derivatives are right where
-- factors are 0, which a division by the factor is not.
local function tree(x, axes)
  local shape = core.shape_of(x)
  for _, d in ipairs(axes) do
    local n = shape[d + 1]
    while n > 1 do
      local half = n // 2
      local rest = lax.slice_in_dim(x, 2 * half, n, 1, d)
      local product = lax.mul(lax.slice_in_dim(x, 0, half, 1, d),
                              lax.slice_in_dim(x, half, 2 * half, 1, d))
      x = n % 2 == 1 and lax.concatenate({product, rest}, d) or product
      n = half + n % 2
    end
  end
  local out = reduced_shape(shape, axes)
  if core.size(core.shape_of(x)) == 0 then
    return lax.full(out, 1, core.dtype_of(x))
  end
  return lax.reshape(x, out)
end

-- In its own type throughout: np's product of narrow integers is wider, and as
-- a Lua number not whole above 2^63.
local function product_of(x, d)
  local kept = np.prod(x, {axis = d, dtype = x.dtype, keepdims = true})
  return np.reshape(kept, reduced_shape(x.shape, {d}))
end

define("reduce_prod", product_of, "^[iuf]b?",
       {jvp = function(p, values, t)
          local _, out = ad.jvp(function(list)
            return {tree(list[1], p.axes)}
          end, {values[1]}, {t[1]})
          return out
        end,
        vjp = function(p, cts, values)
          if not cts[1] then return {false} end
          local _, pull = ad.vjp(function(list)
            return {tree(list[1], p.axes)}
          end, {values[1]})
          return pull{cts[1]}
        end},
       {start = "1", step = "$1 * $2"})

-- ---- The place of an extreme: {axes = {axis}, index_dtype} ----

-- Two passes: the extreme, then the least place where it is (or where the first
-- NaN is).
local function emit_place(step, start)
  return function(eqn, p)
    local x, out = eqn.inputs[1], eqn.outputs[1]
    local shape, axis = x.aval.shape, eqn.params.axes[1]
    local outputs, count = core.size(out.aval.shape), shape[axis + 1]
    if outputs == 0 then return end
    local is_across = axis ~= #shape - 1
    local t = x.aval.dtype
    local wide = (t == "f16" or t == "bf16") and "f32" or t
    local function index(o, r)
      local kept, at, k = emit.coords_of({flat = o}, out.aval.shape), {}, 0
      for d = 1, #shape do
        if d == axis + 1 then
          at[d] = r
        else
          k = k + 1
          at[d] = kept[k]
        end
      end
      return {at = at}
    end
    local best = {aval = core.aval(out.aval.shape, wide)}
    p.places[best] = p:new_temp(best.aval)
    plan.add_reduction(p, {start = start, step = step}, best.aval,
                       p.places[best],
                       outputs, count, function(code, o, r)
      return code:element(x, index(o, r))
    end, is_across)
    local itype = eqn.params.index_dtype
    local c = emit.c_types[itype]
    plan.add_reduction(p, {start = emit.constant(count, itype),
                           step = "($1 < $2 ? $1 : $2)"},
                       out.aval, p.places[out], outputs, count,
                       function(code, o, r)
      local v = code:element(x, index(o, r))
      local m = code:element(best, {flat = o})
      return code:name(c, ("%s == %s || %s != %s ? (%s)(%s) : (%s)%d"):format(
        v, m, v, v, c, r, c, count))
    end, is_across)
  end
end

local function define_place(name, eval, step, start)
  core.define{
    name = name,
    eval = function(p, x)
      local i = eval(x, p.axes[1])
      return np.asarray(i, p.index_dtype)
    end,
    shape = function(p, x)
      local d = p.axes[1]
      if d < 0 or d >= #x.shape then
        core.fail("argument", "ValueError",
                  "%s: axis %d of an array of shape %s",
                  name, d, core.shape_text(x.shape))
      end
      if x.shape[d + 1] == 0 then
        core.fail("argument", "ValueError",
                  "%s: attempt to get %s of an empty " ..
                  "sequence", name, name)
      end
      return core.aval(reduced_shape(x.shape, p.axes), p.index_dtype)
    end,
    batch = batch_rule(name),
    diff = false,
    emit = {call = emit_place(step, start), pulls = true},
  }
  lax[name] = function(x, axis, index_dtype)
    return core.bind1(name, {axes = {axis},
                             index_dtype = index_dtype or config.int()}, x)
  end
end
define_place("argmax", function(x, d) return np.argmax(x, d) end,
             "($1 > $2 || $1 != $1 ? $1 : $2)", "LOWEST")
define_place("argmin", function(x, d) return np.argmin(x, d) end,
             "($1 < $2 || $1 != $1 ? $1 : $2)", "HIGHEST")
