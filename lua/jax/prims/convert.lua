-- SPDX-License-Identifier: Apache-2.0
-- Elementwise primitives whose arguments differ in type, or that take
-- parameters: choice, limits, conversion, whole powers.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local types = use("core/types")
local family = use("prims/elementwise")
local times = family.times
local np = use.np

local function fail(name, text, ...)
  core.fail("argument", "TypeError", name .. ": " .. text, ...)
end
local function copy(list) return table.move(list, 1, #list, 1, {}) end
local function zero(x) return lax.full_like(x, 0) end

-- ---- select_n(which, case 0, case 1, ...); which: bool or i32 ----

local function chosen(_, which, ...)
  local cases = {...}
  if which.dtype == "bool" then
    return cases[2] and np.where(which, cases[2], cases[1]) or cases[1]
  end
  local out = cases[#cases]
  for i = #cases - 1, 1, -1 do
    out = np.where(np.less_equal(which, i - 1), cases[i], out)
  end
  return out
end

core.define{
  name = "select_n",
  eval = chosen,
  shape = function(_, which, first, ...)
    local rest = {...}
    if which.dtype ~= "i32" and (which.dtype ~= "bool" or #rest > 1) then
      fail("select_n", "the first argument chooses among %d cases: it is of " ..
           "type %s, not %s", #rest + 1, #rest > 1 and "i32" or "bool or i32",
           which.dtype)
    end
    local weak = first.weak
    for _, case in ipairs(rest) do
      if not core.same_shape(first.shape, case.shape) or
         first.dtype ~= case.dtype then
        fail("select_n", "all cases must have one shape and type: %s and %s",
             core.aval_text(first), core.aval_text(case))
      end
      weak = weak and case.weak
    end
    if #which.shape > 0 and not core.same_shape(which.shape, first.shape) then
      fail("select_n", "the condition has the shape %s, the cases %s",
           core.shape_text(which.shape), core.shape_text(first.shape))
    end
    return core.aval(first.shape, first.dtype, weak)
  end,
  batch = function(params, size, values, dims)
    local to = dims[1]
    for i = 2, #values do to = dims[i] or to end
    local moved = {}
    for i = 2, #values do moved[i] = batch.at(values[i], dims[i], to, size) end
    local which, shape = values[1], core.shape_of(moved[2])
    if dims[1] and #core.shape_of(which) == 1 and #shape > 1 then
      -- A scalar for each of the batch: it is stretched.
      moved[1] = lax.broadcast_in_dim(which, shape, {to})
    elseif dims[1] or #core.shape_of(which) > 0 then
      moved[1] = batch.at(which, dims[1], to, size)
    else
      moved[1] = which
    end
    return core.bind(core.prims.select_n, params, moved), {to}
  end,
  diff = {
    jvp = function(_, values, tangents)
      local cases, any = {}, false
      for i = 2, #values do
        any = any or tangents[i]
        cases[i - 1] = tangents[i] or zero(values[i])
      end
      return {any and lax.select_n(values[1], table.unpack(cases))}
    end,
    vjp = function(_, cts, values)
      local back, ct = {false}, cts[1]
      for i = 2, #values do
        back[i] = false
        if ct and not core.is_literal(values[i]) then
          local cases = {}
          for k = 2, #values do cases[k - 1] = k == i and ct or zero(ct) end
          back[i] = lax.select_n(values[1], table.unpack(cases))
        end
      end
      return back
    end,
  },
  emit = {type_from = 2, map = function(eqn)
    if #eqn.inputs == 3 then return "($1 ? $3 : $2)" end
    local text = {}
    for i = 2, #eqn.inputs - 1 do
      text[#text + 1] = ("$1 <= %d ? $%d : "):format(i - 2, i)
    end
    return "(" .. table.concat(text) .. "$" .. #eqn.inputs .. ")"
  end},
}
function lax.select_n(which, ...)
  return core.bind(core.prims.select_n, {}, {which, ...})[1]
end
function lax.select(which, yes, no) return lax.select_n(which, no, yes) end

-- ---- clamp(low, x, high); low and high are like x, or scalars ----

core.define{
  name = "clamp",
  eval = function(_, low, x, high)
    return np.minimum(np.maximum(low, x), high)
  end,
  shape = function(_, low, x, high)
    for _, limit in ipairs{low, high} do
      if limit.dtype ~= x.dtype then
        fail("clamp", "types must be equal: %s, %s and %s", low.dtype, x.dtype,
             high.dtype)
      end
      if #limit.shape > 0 and not core.same_shape(limit.shape, x.shape) then
        fail("clamp", "a limit has the shape %s, and is a scalar or has %s",
             core.shape_text(limit.shape), core.shape_text(x.shape))
      end
    end
    return core.aval(x.shape, x.dtype, low.weak and x.weak and high.weak)
  end,
  batch = function(params, size, values, dims)
    local to = dims[2] or 0
    local x = batch.at(values[2], dims[2], to, size)
    local moved = {[2] = x}
    for _, i in ipairs{1, 3} do
      local limit = values[i]
      if dims[i] and #core.shape_of(limit) == 1 then
        moved[i] = lax.broadcast_in_dim(limit, core.shape_of(x), {to})
      elseif dims[i] or #core.shape_of(limit) > 0 then
        moved[i] = batch.at(limit, dims[i], to, size)
      else
        moved[i] = limit
      end
    end
    return core.bind(core.prims.clamp, params, moved), {to}
  end,
  diff = (function()
    -- Which argument each element is: masks.
    local function masks(values)
      local shape = core.shape_of(values[2])
      local function full(v)
        if core.is_literal(v) then
          return lax.full(shape, v.value, v.aval.dtype)
        end
        return #core.shape_of(v) == 0 and lax.broadcast_in_dim(v, shape, {}) or
          v
      end
      local low, x, high = full(values[1]), values[2], full(values[3])
      return {lax.gt(low, x), lax["and"](lax.lt(low, x), lax.lt(x, high)),
              lax.lt(high, x)}
    end
    return {
      jvp = function(_, values, tangents)
        local which, total = masks(values), false
        for i, t in ipairs(tangents) do
          if t then
            if #core.shape_of(t) == 0 then
              t = lax.broadcast_in_dim(t, core.shape_of(values[2]), {})
            end
            local part = lax.select_n(which[i], zero(t), t)
            total = total and lax.add_any(total, part) or part
          end
        end
        return {total}
      end,
      vjp = function(_, cts, values)
        local ct = cts[1]
        if not ct then return {false, false, false} end
        local which, back = masks(values), {}
        for i, v in ipairs(values) do
          back[i] = not core.is_literal(v) and
            lax.select_n(which[i], zero(ct), ct)
          if back[i] and #core.shape_of(v) < #core.shape_of(ct) then
            local all = {}
            for d = 1, #core.shape_of(ct) do all[d] = d - 1 end
            back[i] = lax.reduce_sum(back[i], all)
          end
        end
        return back
      end,
    }
  end)(),
  emit = {map = {"($2 != $2 ? $2 : $2 < $1 ? ($3 < $1 ? $3 : $1) : " ..
                 "$2 > $3 ? $3 : $2)"}},
}
function lax.clamp(low, x, high)
  local a = core.aval_of(x) -- numbers are as weak as x is
  if type(low) == "number" then low = core.literal(low, a.dtype, a.weak) end
  if type(high) == "number" then high = core.literal(high, a.dtype, a.weak) end
  return core.bind1("clamp", {}, low, x, high)
end

-- ---- convert_element_type: {new_dtype, weak_type} ----

core.define{
  name = "convert_element_type",
  eval = function(p, x) return x:astype(p.new_dtype) end,
  shape = function(p, x)
    return core.aval(x.shape, p.new_dtype, p.weak_type)
  end,
  batch = batch.elementwise("convert_element_type"),
  diff = {
    jvp = function(p, _, tangents)
      return {types.is_float(p.new_dtype) and
              lax.convert_element_type(tangents[1], p.new_dtype)}
    end,
    vjp = function(_, cts, values)
      local own = core.dtype_of(values[1])
      return {cts[1] and types.is_float(own) and
              lax.convert_element_type(cts[1], own)}
    end,
  },
  emit = {convert = true},
}
function lax.convert_element_type(x, dtype, weak)
  dtype = types.canonical(dtype) or
    fail("convert_element_type", "there is no dtype %s", tostring(dtype))
  if core.dtype_of(x) == dtype and core.aval_of(x).weak == (weak or false) then
    return x
  end
  return core.bind1("convert_element_type",
                    {new_dtype = dtype, weak_type = weak or false}, x)
end

-- ---- bitcast_convert_type: {new_dtype} ----

core.define{
  name = "bitcast_convert_type",
  eval = function(p, x) return use.bits(x, p.new_dtype) end,
  shape = function(p, x) return core.aval(x.shape, p.new_dtype) end,
  batch = batch.elementwise("bitcast_convert_type"),
  diff = false,
  emit = {bitcast = true},
}

local bits = {bool = 8, i8 = 8, u8 = 8, i16 = 16, u16 = 16, f16 = 16, bf16 = 16,
              i32 = 32, u32 = 32, f32 = 32, i64 = 64, u64 = 64, f64 = 64}
local words = {[8] = "u8", [16] = "u16", [32] = "u32", [64] = "u64"}

local function same_width(x, dtype)
  if core.dtype_of(x) == dtype then return x end
  return core.bind1("bitcast_convert_type", {new_dtype = dtype}, x)
end

--- The bits of x as another type. Of a narrower one there are several, along
--- a new last axis, the lowest bits first; to a wider one that axis goes.
function lax.bitcast_convert_type(x, dtype)
  local from = core.dtype_of(x)
  dtype = types.canonical(dtype)
  if (from == "bool") ~= (dtype == "bool") then
    fail("bitcast_convert_type", "%s to %s: bool has no bits of its own", from,
         dtype)
  end
  local wide, narrow = bits[from], bits[dtype]
  if wide == narrow then return same_width(x, dtype) end
  local shape = core.shape_of(x)
  local rank = #shape
  if wide > narrow then
    local n = wide // narrow
    local parts, kept = copy(shape), {}
    parts[rank + 1] = n
    for d = 1, rank do kept[d] = d - 1 end
    local word = same_width(x, words[wide])
    local spread = lax.broadcast_in_dim(word, parts, kept)
    local by = lax.mul(lax.iota(words[wide], parts, rank), narrow)
    local pieces = lax.convert_element_type(
      lax["and"](lax.shift_right_logical(spread, by), (1 << narrow) - 1),
      words[narrow])
    return same_width(pieces, dtype)
  end
  local n = narrow // wide
  if rank == 0 or shape[rank] ~= n then
    fail("bitcast_convert_type",
         "%s to %s: the last axis must have the size %d",
         core.aval_text(core.aval_of(x)), dtype, n)
  end
  local word = lax.convert_element_type(same_width(x, words[wide]),
                                        words[narrow])
  local by = lax.mul(lax.iota(words[narrow], shape, rank - 1), wide)
  return same_width(lax.reduce_sum(lax.shift_left(word, by), {rank - 1}), dtype)
end

-- ---- integer_pow: {y} ----

local function slope(p, x)
  if p.y == 0 then return false end
  if p.y == 1 then return 1 end
  if p.y == 2 then return lax.mul(x, 2) end
  return lax.mul(lax.integer_pow(x, p.y - 1), p.y)
end

core.define{
  name = "integer_pow",
  eval = function(p, x)
    if p.y >= 0 then return np.power(x, p.y) end
    return np.reciprocal(np.power(x, -p.y))
  end,
  shape = function(p, x)
    if p.y < 0 and types.is_integer(x.dtype) then
      fail("integer_pow",
           "Integers cannot be raised to negative powers, got " ..
           "%s ** %d", core.aval_text(x), p.y)
    end
    return family.shape_rule("integer_pow", "n")(p, x)
  end,
  batch = batch.elementwise("integer_pow"),
  diff = {
    jvp = function(p, values, t)
      local d = slope(p, values[1])
      return {d and times(d, t[1])}
    end,
    vjp = function(p, cts, values)
      local d = slope(p, values[1])
      return {d and cts[1] and times(d, cts[1])}
    end,
  },
  emit = {power = true},
}
function lax.integer_pow(x, n)
  return core.bind1("integer_pow", {y = n}, x)
end
function lax.reciprocal(x) return lax.integer_pow(x, -1) end
