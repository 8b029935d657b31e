-- SPDX-License-Identifier: Apache-2.0
-- Sums and their like along axes: of each chunk first, and of those in a tree,
-- always in the same order.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object, names, tasks = use("chunks"), use("object"), use("names"),
  use("tasks")
local elementwise = use("elementwise")
local np = use.np
local own, fail = object.own, mistakes.fail
local M = {}

-- ---- Arguments ----

-- The axes that are reduced, from 1, in order; nil: all.
local function axes_of(name, asked, ndim)
  local out, seen = {}, {}
  if asked == nil then
    for axis = 1, ndim do out[axis] = axis end
    return out
  end
  for _, axis in ipairs(type(asked) == "table" and asked or {asked}) do
    if math.type(axis) ~= "integer" or axis < -ndim or axis >= ndim then
      fail("%s: there is no axis %s of an array with %d", name,
        tostring(axis), ndim)
    end
    axis = axis % ndim + 1
    if seen[axis] then fail("%s: the axis %d stands twice", name, axis - 1) end
    seen[axis], out[#out + 1] = true, axis
  end
  table.sort(out)
  return out
end

-- x:sum(axis), x:sum(axis, {keepdims = true}), x:sum{axis = 0, keepdims =
-- true}.
local function arguments(name, x, axis, options)
  if type(axis) == "table" and axis[1] == nil and next(axis) ~= nil then
    axis, options = nil, axis
  end
  local o = mistakes.options(name, options, {"axis", "keepdims"})
  if axis == nil then axis = o.axis end
  return axes_of(name, axis, #own(x).shape), o.keepdims
end

-- ---- Reductions ----

--- One task of a list of them, joined by np[name]; each result has so many
--- bytes.
function M.joined(list, name, bytes)
  return tasks.joined(list, function(part)
    return tasks.new("fold", {name, part}, {label = "combine", bytes = bytes})
  end)
end

-- The cut of the result with the axes kept, and which blocks of x each has.
local function grouped(x, is_reduced)
  local o, kept, groups = own(x), {}, {}
  for axis, list in ipairs(o.chunks) do
    kept[axis] = is_reduced[axis] and {1} or list
  end
  for k, at in chunks.each(o.chunks) do
    local place = {}
    for axis, i in ipairs(at) do place[axis] = is_reduced[axis] and 1 or i end
    local group = chunks.number(kept, place)
    groups[group] = groups[group] or {}
    table.insert(groups[group], k)
  end
  return kept, groups
end

-- Without the axes, each of one element.
local function squeezed(x, axes, is_reduced)
  local o, cut, from_0 = own(x), {}, {}
  for axis, list in ipairs(o.chunks) do
    if not is_reduced[axis] then cut[#cut + 1] = list end
  end
  for i, axis in ipairs(axes) do from_0[i] = axis - 1 end
  return object.build(cut, o.dtype, "squeeze", "squeeze", function(k)
    return {o.blocks[k], from_0}
  end)
end

--- np[name] along axes, of an array in chunks; dtype: in which it is computed.
local function reduced(name, x, axes, keepdims, dtype)
  local o, is_reduced, from_0 = own(x), {}, {}
  for i, axis in ipairs(axes) do
    is_reduced[axis], from_0[i] = true, axis - 1
  end
  local kept, groups = grouped(x, is_reduced)
  local out_type = dtype or np[name](np.ones({1, 1}, o.dtype), 0).dtype
  local blocks = {}
  for group, at in chunks.each(kept) do
    local bytes = object.bytes(chunks.block_shape(kept, at), out_type)
    local list = {}
    for i, k in ipairs(groups[group]) do
      list[i] = tasks.new("reduce", {name, o.blocks[k], from_0, dtype},
        {label = name, bytes = bytes})
    end
    blocks[group] = M.joined(list, names.reductions[name], bytes)
  end
  local y = object.new(kept, out_type, blocks)
  return keepdims and y or squeezed(y, axes, is_reduced)
end

-- How many elements are reduced to one.
local function count_of(x, axes)
  local n = 1
  for _, axis in ipairs(axes) do n = n * own(x).shape[axis] end
  return n
end

local function float_type(x)
  return own(x).dtype:find("f") and own(x).dtype or "f64"
end

for name in pairs(names.reductions) do
  M[name] = function(x, axis, options)
    local axes, keepdims = arguments(name, x, axis, options)
    if (name == "max" or name == "min") and count_of(x, axes) == 0 then
      fail("%s: there is no %s of no elements", name, name)
    end
    return reduced(name, x, axes, keepdims)
  end
end

local function mean_of(x, axes, keepdims)
  local dtype = float_type(x)
  -- 16 bits do not hold a sum of many.
  local wide = (dtype == "f16" or dtype == "bf16") and "f32" or dtype
  local total = reduced("sum", x, axes, keepdims, wide)
  local y = elementwise.call("divide", {total, count_of(x, axes)}, 2)
  return wide == dtype and y or M.cast(y, dtype)
end

--- x:astype(dtype).
function M.cast(x, dtype)
  local o = own(x)
  dtype = np.zeros(0, dtype).dtype
  if dtype == o.dtype then return x end
  return object.build(o.chunks, dtype, "cast", dtype, function(k)
    return {o.blocks[k], dtype}
  end)
end

function M.mean(x, axis, options)
  local axes, keepdims = arguments("mean", x, axis, options)
  return mean_of(x, axes, keepdims)
end

-- The mean of the squares of what is left of the mean.
local function spread(name, x, axis, options)
  local axes, keepdims = arguments(name, x, axis, options)
  local off = elementwise.call("subtract", {x, mean_of(x, axes, true)}, 2)
  return mean_of(elementwise.call("square", {off}, 1), axes, keepdims)
end

function M.var(x, axis, options) return spread("var", x, axis, options) end
function M.std(x, axis, options)
  return elementwise.call("sqrt", {spread("std", x, axis, options)}, 1)
end

return M
