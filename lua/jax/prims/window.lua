-- SPDX-License-Identifier: Apache-2.0
-- Reductions of windows that move over an array (XLA's ReduceWindow): what
-- pooling is made of.
--
--   reduce_window_sum, _max, _min  {window_dimensions, window_strides, padding,
--                                   base_dilation, window_dilation}
--   window_place {the same, is_max}  the place of the extreme in its window, in
--                                   row-major order: the first of equals
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local ad = use("transforms/ad")
local emit = use("compile/emit")
local each = use("compile/each")
local types = use("core/types")
local args = use("core/args")
local jnp, np = use.jnp, use.np
local dilated = use("prims/conv").dilated

local function fail(name, text, ...)
  core.fail("argument", name, "reduce_window: " .. text, ...)
end

-- The windows along one axis, and where in them the array is.
local function axis_of(p, d, n)
  local a = {
    n = n, size = p.window_dimensions[d], stride = p.window_strides[d],
    low = p.padding[d][1], high = p.padding[d][2], base = p.base_dilation[d],
    dilation = p.window_dilation[d]}
  local width = dilated(n, a.base) + a.low + a.high
  local span = dilated(a.size, a.dilation)
  a.count = width < span and 0 or (width - span) // a.stride + 1
  return a
end

local function axes_of(p, shape)
  local axes, counts = {}, {}
  for d, n in ipairs(shape) do
    axes[d] = axis_of(p, d, n)
    counts[d] = axes[d].count
  end
  return axes, counts
end

local function shape_rule(p, x)
  if #p.window_dimensions ~= #x.shape then
    fail("ValueError", "a window of %d axes for an array of shape %s",
         #p.window_dimensions, core.shape_text(x.shape))
  end
  local _, counts = axes_of(p, x.shape)
  return core.aval(counts, x.dtype)
end

-- ---- With np ----

local small = {f16 = true, bf16 = true}

-- f(part, place) for each place in the window: part has that element of each
-- window; outside of the array it is `fill`.
local function each_place(p, x, fill, f)
  local axes, counts = axes_of(p, x.shape)
  local config = {}
  for d, a in ipairs(axes) do config[d] = {a.low, a.high, a.base - 1} end
  local padded = core.prims.pad.eval({padding_config = config}, x,
                                     np.asarray(fill, x.dtype))
  for place = 0, core.size(p.window_dimensions) - 1 do
    local index, rest = {}, place
    for d = #axes, 1, -1 do
      local a = axes[d]
      local from = rest % a.size * a.dilation
      rest = rest // a.size
      index[d] = ("%d:%d:%d"):format(from, from +
        math.max(0, (counts[d] - 1) * a.stride + 1), a.stride)
    end
    f(#index == 0 and padded or padded[table.concat(index, ", ")], place)
  end
end

local function eval_rule(fold, fill_of)
  return function(p, x)
    local _, counts = axes_of(p, x.shape)
    local fill = fill_of(x.dtype)
    if core.size(counts) == 0 then return np.full(counts, fill, x.dtype) end
    local t = x.dtype
    x = small[t] and x:astype("f32") or x
    local sum = np.full(counts, fill, x.dtype)
    each_place(p, x, fill, function(part) sum = fold(sum, part) end)
    return np.asarray(sum):astype(t)
  end
end

-- ---- On a device ----

-- Loops over the places of window i that lie in the array; body(text of the
-- element, place).
local function window_loop(code, eqn, i, body)
  local x, p = eqn.inputs[1], eqn.params
  local axes, counts = axes_of(p, x.aval.shape)
  local own, inside = {}, {}
  local first = emit.coords_of({flat = i}, counts)
  local place = "0"
  for d, a in ipairs(axes) do
    code:add("const int first%d = %s * %d - %d;", d, first[d], a.stride, a.low)
  end
  for d, a in ipairs(axes) do
    local w, at = "w" .. d, "at" .. d
    code:open(("for (int %s = 0; %s < %d; %s++)"):format(w, w, a.size, w))
    code:add("const int %s = first%d + %s * %d;", at, d, w, a.dilation)
    local test = ("%s >= 0 && %s < %d"):format(at, at, dilated(a.n, a.base))
    if a.base > 1 then
      test = ("%s && %s %% %d == 0"):format(test, at, a.base)
    end
    inside[d] = test
    own[d] = a.base > 1 and ("(%s / %d)"):format(at, a.base) or at
    place = place == "0" and w or ("(%s * %d + %s)"):format(place, a.size, w)
  end
  code:open(#inside == 0 and "if (true)" or
            ("if (%s)"):format(table.concat(inside, " && ")))
  body(code:element(x, {at = own}), place)
  for _ = 0, #axes do code:close() end
end

local function emit_fold(name, template, start_of)
  return function(eqn, plan)
    local t = eqn.inputs[1].aval.dtype
    local wide = small[t] and "f32" or t
    each.index(plan, name, core.size(eqn.outputs[1].aval.shape),
               function(code, i, kernel)
      local to = kernel:write(plan.places[eqn.outputs[1]])
      code:add("%s acc = %s;", emit.compute_type(t),
               emit.constant(start_of(wide), wide))
      window_loop(code, eqn, i, function(text)
        code:add("acc = %s;", emit.fill(emit.template_of(template, wide), wide,
                                        {"acc", text}))
      end)
      code:add("%s[%s] = %s;", to, i, emit.stored(t, "acc"))
    end)
  end
end

local function emit_place(eqn, plan)
  local t = emit.compute_type(eqn.inputs[1].aval.dtype)
  each.index(plan, "window_place", core.size(eqn.outputs[1].aval.shape),
             function(code, i, kernel)
    local to = kernel:write(plan.places[eqn.outputs[1]])
    code:add("int place = -1;")
    code:add("%s best = 0;", t)
    window_loop(code, eqn, i, function(text, place)
      code:open(("if (place < 0 || !(best %s %s))"):format(
        eqn.params.is_max and ">=" or "<=", text))
      code:add("best = %s;", text)
      code:add("place = %s;", place)
      code:close()
    end)
    code:add("%s[%s] = place;", to, i)
  end)
end

-- ---- Batches and derivatives ----

local fields = {window_dimensions = 1, window_strides = 1, base_dilation = 1,
                window_dilation = 1}

-- The batch is an axis with windows of one.
local function batch_rule(name)
  return function(p, _, values, dims)
    local new = {is_max = p.is_max}
    for field, one in pairs(fields) do
      new[field] = table.move(p[field], 1, #p[field], 1, {})
      table.insert(new[field], dims[1] + 1, one)
    end
    new.padding = table.move(p.padding, 1, #p.padding, 1, {})
    table.insert(new.padding, dims[1] + 1, {0, 0})
    return core.bind(core.prims[name], new, values), {dims[1]}
  end
end

local function window(name, p, x)
  return core.bind1("reduce_window_" .. name, p, x)
end

-- Each window's cotangent to its elements: the cotangents, spread by the
-- strides, are added up over windows that look the other way.
local function sum_cotangent(p, ct, x)
  local axes = axes_of(p, core.shape_of(x))
  local config, one, none = {}, {}, {}
  for d, a in ipairs(axes) do
    local span = dilated(a.size, a.dilation)
    local low = span - 1 - a.low
    one[d], none[d] = 1, {0, 0}
    config[d] = {low, dilated(a.n, a.base) + span - 1 - low -
                      dilated(a.count, a.stride), a.stride - 1}
  end
  return window("sum", {
    window_dimensions = p.window_dimensions, window_strides = p.base_dilation,
    padding = none, base_dilation = one, window_dilation = p.window_dilation},
    lax.pad(ct, 0, config))
end

-- From the places of extremes, x's elements (or 0 where a window has none).
local function picked(p, x, places)
  local shape = core.shape_of(x)
  local axes, counts = axes_of(p, shape)
  local flat, rest, step = lax.full(counts, 0, "i32"), places, 1
  for d = #axes, 1, -1 do
    local a = axes[d]
    local w = lax.rem(rest, a.size)
    rest = lax.div(rest, a.size)
    local at = lax.sub(lax.add(lax.mul(lax.iota("i32", counts, d - 1),
                                       a.stride), lax.mul(w, a.dilation)),
                       a.low)
    flat = lax.add(flat, lax.mul(lax.div(at, a.base), step))
    step = step * a.n
  end
  local none = lax.lt(places, 0)
  local taken = jnp.take(lax.reshape(x, {core.size(shape)}),
                         lax.select_n(none, flat, lax.full_like(flat, 0)),
                         {mode = "clip"})
  return lax.select_n(none, taken, lax.full_like(taken, 0))
end

local function extreme(is_max)
  local function places_of(p, x)
    local q = {is_max = is_max}
    for k, v in pairs(p) do q[k] = v end
    return core.bind1("window_place", q, x)
  end
  return {
    jvp = function(p, values, t)
      return {picked(p, t[1], places_of(p, values[1]))}
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false} end
      local places = places_of(p, values[1])
      local _, pull = ad.vjp(function(list)
        return {picked(p, list[1], places)}
      end, {ad.zeros_like(values[1])})
      return pull(cts)
    end,
  }
end

-- ---- The rows ----

local function define(row)
  local name = "reduce_window_" .. row.name
  core.define{
    name = name, shape = shape_rule, batch = batch_rule(name),
    eval = eval_rule(row.fold, row.start), diff = row.diff,
    emit = {call = emit_fold(name, row.step, row.start), pulls = true},
  }
end

define{
  name = "sum", fold = function(a, b) return np.add(a, b) end,
  start = function(t) return types.is_float(t) and 0.0 or 0 end,
  step = {"$1 + $2", "(T)((U)$1 + (U)$2)"},
  diff = {
    jvp = function(p, _, t) return {window("sum", p, t[1])} end,
    vjp = function(p, cts, values)
      return {cts[1] and sum_cotangent(p, cts[1], values[1])}
    end,
  },
}

local function limit(is_low)
  return function(t)
    if types.is_float(t) then return is_low and -math.huge or math.huge end
    if t == "bool" then return not is_low end
    local low, high = args.limits(t)
    return is_low and low or high
  end
end
define{
  name = "max", fold = function(a, b) return np.maximum(a, b) end,
  start = limit(true), step = {"($1 > $2 || $1 != $1 ? $1 : $2)"},
  diff = extreme(true),
}
define{
  name = "min", fold = function(a, b) return np.minimum(a, b) end,
  start = limit(false), step = {"($1 < $2 || $1 != $1 ? $1 : $2)"},
  diff = extreme(false),
}

core.define{
  name = "window_place",
  eval = function(p, x)
    local _, counts = axes_of(p, x.shape)
    local places = np.full(counts, -1, "i32")
    if core.size(counts) == 0 then return places end
    local best = np.zeros(counts, x.dtype)
    local is_there = {}
    each_place(p, np.ones(x.shape, "bool"), false, function(part, place)
      is_there[place] = part
    end)
    each_place(p, x, 0, function(part, place)
      local holds = p.is_max and np.greater_equal(best, part) or
                    np.less_equal(best, part)
      local takes = np.logical_and(is_there[place], np.logical_or(
        np.less(places, 0), np.logical_not(holds)))
      best = np.asarray(np.where(takes, part, best), x.dtype)
      places = np.asarray(np.where(takes, place, places), "i32")
    end)
    return places
  end,
  shape = function(p, x) return core.aval(shape_rule(p, x).shape, "i32") end,
  batch = batch_rule("window_place"),
  diff = false,
  emit = {call = emit_place, pulls = true},
}
