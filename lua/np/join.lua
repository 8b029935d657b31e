-- SPDX-License-Identifier: Apache-2.0
-- Joining, splitting, repeating: functions whose result has elements
-- of its arguments at other places.
local np, fail, method, core = ...
local part, gather, shape_text = core.part, core.gather, core.shape_text

local function define(name, names, f) core.define(np, name, names, f) end

local function list(name, arrays) return core.list(np, name, arrays) end

-- ---- Joining ----

define("stack", {"arrays", "axis"}, function(arrays, axis)
  local parts = list("stack", arrays)
  local shape = parts[1].shape
  axis = core.axis("stack", axis or 0, #shape + 1)
  for i, a in ipairs(parts) do
    if shape_text(a.shape) ~= shape_text(shape) then
      fail(("stack: all arrays must have one shape; the first has %s, number "
            .. "%d has %s"):format(shape_text(shape), i - 1,
                                   shape_text(a.shape)))
    end
    parts[i] = np.expand_dims(a, axis)
  end
  return np.concatenate(parts, axis)
end)

local function joined(name, n, axis)
  local one = np["atleast_" .. n .. "d"]
  define(name, {"arrays"}, function(arrays)
    local parts = list(name, arrays)
    for i, a in ipairs(parts) do parts[i] = one(a) end
    local at = axis
    if name == "hstack" and parts[1].ndim == 1 then at = 0 end
    return np.concatenate(parts, at)
  end)
end
joined("vstack", 2, 0)
joined("hstack", 1, 1)
joined("dstack", 3, 2)

define("column_stack", {"arrays"}, function(arrays)
  local parts = list("column_stack", arrays)
  for i, a in ipairs(parts) do
    if a.ndim < 2 then parts[i] = a:reshape(-1, 1) end
  end
  return np.concatenate(parts, 1)
end)

define("append", {"arr", "values", "axis"}, function(a, values, axis)
  a, values = np.asarray(a), np.asarray(values)
  if axis == nil then
    return np.concatenate({np.ravel(a), np.ravel(values)}, 0)
  end
  return np.concatenate({a, values}, axis)
end)

-- ---- Splitting ----

-- Parts of `a` that begin and end at these places, clamped as slices are.
local function cut(a, axis, places)
  local n, parts, from = a.shape[axis + 1], {}, 0
  local function clamp(i)
    if i < 0 then i = i + n end
    return math.max(0, math.min(i, n))
  end
  for i = 1, #places + 1 do
    local to = places[i] and clamp(places[i]) or n
    local count = math.max(0, to - from)
    parts[i] = part(a, axis, count > 0 and from or 0, count)
    from = to
  end
  return parts
end

local function split(name, a, sections, axis, is_equal)
  a = np.asarray(a)
  axis = core.axis(name, axis or 0, a.ndim)
  if math.type(sections) ~= "integer" then
    local places = np.asarray(sections):tolist()
    return cut(a, axis, places)
  end
  local n = a.shape[axis + 1]
  if sections < 1 then fail(name .. ": the number of parts must be over 0") end
  if is_equal and n % sections ~= 0 then
    fail(("%s: %d items along axis %d do not make %d equal parts "
          .. "(array_split makes unequal ones)"):format(name, n, axis,
                                                        sections))
  end
  local places, at = {}, 0
  for i = 1, sections - 1 do
    at = at + n // sections + (i <= n % sections and 1 or 0)
    places[i] = at
  end
  return cut(a, axis, places)
end

define("array_split", {"ary", "indices_or_sections", "axis"},
       function(a, sections, axis)
  return split("array_split", a, sections, axis, false)
end)
define("split", {"ary", "indices_or_sections", "axis"},
       function(a, sections, axis)
  return split("split", a, sections, axis, true)
end)
for name, need in pairs{hsplit = 1, vsplit = 2, dsplit = 3} do
  define(name, {"ary", "indices_or_sections"}, function(a, sections)
    a = np.asarray(a)
    if a.ndim < need then
      fail(("%s: the array has %d axes; it needs at least %d"):format(name,
        a.ndim, need))
    end
    local axis = name == "vsplit" and 0 or name == "dsplit" and 2 or
                 math.min(1, a.ndim - 1)
    return split(name, a, sections, axis, true)
  end)
end

-- ---- Inserting and deleting ----

-- Positions from a number, a list, a mask or the text of a slice.
local function positions(name, at, n)
  if type(at) == "string" then return np.arange(n)[at]:tolist() end
  local a = np.asarray(at)
  if a.dtype == "bool" then
    if a.size ~= n then
      fail(("%s: a mask of %d items for an axis of %d"):format(name, a.size,
                                                               n))
    end
    return np.arange(n)[a]:tolist()
  end
  local out = np.ravel(a):tolist()
  return out
end

local function in_bounds(name, i, n, limit)
  if math.type(i) ~= "integer" or i < -n or i > limit then
    fail(("%s: index %s is out of bounds for an axis of size %d"):format(name,
      i, n))
  end
  return i < 0 and i + n or i
end

define("delete", {"arr", "obj", "axis"}, function(a, at, axis)
  a = np.asarray(a)
  if axis == nil then
    a, axis = np.ravel(a), 0
  end
  axis = core.axis("delete", axis, a.ndim)
  local n, gone, keep = a.shape[axis + 1], {}, {}
  for _, i in ipairs(positions("delete", at, n)) do
    gone[in_bounds("delete", i, n, n - 1)] = true
  end
  for i = 0, n - 1 do
    if not gone[i] then keep[#keep + 1] = i end
  end
  return gather(a, axis, keep)
end)

-- Where each new item comes to lie, in the order of the values.
local function places_of(at, n)
  local order = {}
  for i = 1, #at do
    at[i] = in_bounds("insert", at[i], n, n)
    order[i] = i
  end
  table.sort(order, function(i, j)
    if at[i] ~= at[j] then return at[i] < at[j] end
    return i < j
  end)
  local places = {}
  for rank, i in ipairs(order) do places[i] = at[i] + rank - 1 end
  return places
end

-- The shape of `a` with another size along the axis.
local function with_size(a, axis, size)
  local shape = a.shape
  shape[axis + 1] = size
  return shape
end

define("insert", {"arr", "obj", "values", "axis"},
       function(a, at, values, axis)
  a = np.asarray(a)
  if axis == nil then
    a, axis = np.ravel(a), 0
  end
  axis = core.axis("insert", axis, a.ndim)
  local n = a.shape[axis + 1]
  values = np.array(values, a.dtype)
  local where = positions("insert", at, n)
  if math.type(at) == "integer" then
    -- One place: all values go there, whole items along the first axis.
    while values.ndim < a.ndim do values = np.expand_dims(values, 0) end
    values = np.moveaxis(values, 0, axis)
    for i = 2, values.shape[axis + 1] do where[i] = at end
  end
  local places = places_of(where, n)
  values = np.broadcast_to(values, with_size(a, axis, #places))
  local out = np.empty(with_size(a, axis, n + #places), a.dtype)
  local is_new, from = {}, 0
  for i, place in ipairs(places) do
    is_new[place] = true
    core.assign(part(out, axis, place, 1), part(values, axis, i - 1, 1))
  end
  local to = 0
  while from < n do
    if is_new[to] then
      to = to + 1
    else
      local run = 1
      while from + run < n and not is_new[to + run] do run = run + 1 end
      core.assign(part(out, axis, to, run), part(a, axis, from, run))
      from, to = from + run, to + run
    end
  end
  return out
end)
