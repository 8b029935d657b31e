-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: arrays joined, cut, and with items put in or left out.
local _, _, _, core = ...
local shape_text = core.shape_text

-- ---- Joining ----

local function check_one_shape(lib, list)
  local shape = list[1].shape
  for i, a in ipairs(list) do
    if not core.same_shape(shape, a.shape) then
      lib.fail("stack", "ValueError", lib.either(
        "all arrays must have one shape; the first has %s, number %d has %s",
        "all input arrays must have the same shape: %s and %s"),
        shape_text(shape), lib.either(i - 1, shape_text(a.shape)),
        shape_text(a.shape))
    end
  end
end

-- JAX's take a dtype, too.
local function joining_names(lib, ...)
  local names = {...}
  names[#names + 1] = lib.either(nil, "dtype")
  return names
end

local function stacking(lib, define)
  define("stack", joining_names(lib, "arrays", "axis"),
         function(arrays, axis, dtype)
    local list = lib.arrays(arrays, "stack")
    check_one_shape(lib, list)
    axis = lib.axis(axis or 0, list[1].ndim + 1, "stack")
    for i, a in ipairs(list) do list[i] = lib.insert_axes(a, {axis}) end
    return lib.concatenate(list, axis, dtype)
  end)
  local function joined(name, rank, axis)
    define(name, joining_names(lib, "arrays"), function(arrays, dtype)
      local list = lib.arrays(arrays, name)
      for i, a in ipairs(list) do
        list[i] = lib.xp[("atleast_%dd"):format(rank)](a)
      end
      return lib.concatenate(list, axis or (list[1].ndim == 1 and 0 or 1),
                             dtype)
    end)
  end
  joined("vstack", 2, 0)
  joined("hstack", 1)
  joined("dstack", 3, 2)
  define("column_stack", {"arrays"}, function(arrays)
    local list = lib.arrays(arrays, "column_stack")
    for i, a in ipairs(list) do
      if a.ndim < 2 then list[i] = lib.reshape(a, {a.size, 1}) end
    end
    return lib.concatenate(list, 1)
  end)
  define("append", {"arr", "values", "axis"}, function(a, values, axis)
    if axis == nil then
      return lib.concatenate({lib.xp.ravel(a), lib.xp.ravel(values)}, 0)
    end
    return lib.concatenate({lib.array(a, "concatenate"),
                            lib.array(values, "concatenate")}, axis)
  end, 2)
  define("concat", lib.either({"arrays", "axis"}), function(arrays, axis, ...)
    return lib.xp.concatenate(arrays, lib.either(axis or 0, axis), ...)
  end)
end

-- Nested tables of arrays, put together from the last axis on.
local function depth_of(x)
  if type(x) ~= "table" or getmetatable(x) then return 0 end
  return 1 + depth_of(x[1])
end

local function blocks(lib, define)
  local function joined(x, depth, rank)
    if depth == 0 then
      x = lib.array(x, "block")
      local shape = x.shape
      while #shape < rank do table.insert(shape, 1, 1) end
      return lib.reshape(x, shape)
    end
    local list = {}
    for i, part in ipairs(x) do list[i] = joined(part, depth - 1, rank) end
    return lib.concatenate(list, rank - depth)
  end
  local function rank_of(x, depth)
    if depth == 0 then return lib.array(x, "block").ndim end
    local most = 0
    for _, part in ipairs(x) do
      most = math.max(most, rank_of(part, depth - 1))
    end
    return most
  end
  define("block", {"arrays"}, function(arrays)
    local depth = depth_of(arrays)
    return joined(arrays, depth, math.max(depth, rank_of(arrays, depth)))
  end)
end

-- ---- Splitting ----

-- The places that cut n items in `count` parts, equal ones where that can be.
local function even_places(n, count)
  local places, at = {}, 0
  for i = 1, count - 1 do
    at = at + n // count + (i <= n % count and 1 or 0)
    places[i] = at
  end
  return places
end

-- What becomes of an axis of n items: the places to cut at.
local function places_of(lib, name, sections, n, axis, is_equal)
  if math.type(sections) ~= "integer" then
    return lib.cuts(lib.numbers(sections, name, "indices_or_sections"), n,
                    name)
  elseif sections < 1 then
    lib.fail(name, "ValueError", lib.either(
      "the number of parts must be over 0", "%d pieces"), sections)
  elseif is_equal and n % sections ~= 0 then
    if lib.either(true, false) then
      lib.fail(name, nil, "%d items along axis %d do not make %d equal " ..
               "parts (array_split makes unequal ones)", n, axis, sections)
    end
    lib.fail(name, "ValueError", "array split does not result in an equal " ..
             "division: %d elements in %d pieces", n, sections)
  end
  return even_places(n, sections)
end

local function cut(lib, name, a, sections, axis, is_equal)
  axis = lib.axis(axis or 0, a.ndim, name)
  local n = a.shape[axis + 1]
  local places = places_of(lib, name, sections, n, axis, is_equal)
  local parts, from = {}, 0
  for i = 1, #places + 1 do
    local to = places[i] or n
    parts[i] = lib.slice(a, axis, from, math.max(0, to - from))
    from = to
  end
  return lib.several(parts)
end

local function splitting(lib, define)
  for name, is_equal in pairs{split = true, array_split = false} do
    define(name, {"ary", "indices_or_sections", "axis"},
           function(a, sections, axis)
      return cut(lib, name, lib.array(a, name), sections, axis, is_equal)
    end)
  end
  for name, need in pairs{hsplit = 1, vsplit = 2, dsplit = 3} do
    define(name, {"ary", "indices_or_sections"}, function(a, sections)
      a = lib.array(a, name)
      if lib.either(a.ndim < need, false) then
        lib.fail(name, "ValueError",
                 "the array has %d axes; it needs at least %d", a.ndim, need)
      end
      local axis = name == "vsplit" and 0 or name == "dsplit" and 2 or
                   a.ndim == 1 and 0 or 1
      return cut(lib, name, a, sections, axis, true)
    end)
  end
  define("unstack", {"x", "axis"}, function(x, axis)
    x = lib.array(x, "unstack")
    axis = lib.axis(axis or 0, x.ndim, lib.either("moveaxis", "unstack"))
    local list = {}
    for i = 1, x.shape[axis + 1] do
      list[i] = lib.plain(lib.item(x, axis, i - 1))
    end
    return table.unpack(list)
  end)
end

-- ---- Inserting and deleting ----

-- All elements in a row where there is no axis.
local function flat_or_axis(lib, name, a, axis)
  a = lib.array_or_table(a, name)
  if not axis then return lib.xp.ravel(a), 0 end
  return a, lib.axis(axis, a.ndim, name)
end

-- Values as they are put along the axis at one place: whole items along the
-- first axis.
local function at_one_place(lib, values, rank, axis)
  local front = {}
  for d = 1, rank - values.ndim do front[d] = d - 1 end
  return lib.xp.moveaxis(lib.insert_axes(values, front), 0, axis)
end

-- In which order n items and the new ones behind them come.
local function order_with(n, places)
  local at, order = {}, {}
  for k, i in ipairs(places) do
    at[i] = at[i] or {}
    table.insert(at[i], n + k - 1)
  end
  for i = 0, n do
    for _, k in ipairs(at[i] or {}) do order[#order + 1] = k end
    if i < n then order[#order + 1] = i end
  end
  return order
end

local function editing(lib, define)
  define("delete", {"arr", "obj", "axis"}, function(a, at, axis)
    a, axis = flat_or_axis(lib, "delete", a, axis)
    local n, gone, keep = a.shape[axis + 1], {}, {}
    for _, i in ipairs(lib.places("delete", at, n, n - 1)) do gone[i] = true end
    for i = 0, n - 1 do
      if not gone[i] then keep[#keep + 1] = i end
    end
    return lib.take(a, axis, keep)
  end)
  define("insert", {"arr", "obj", "values", "axis"},
         function(a, at, values, axis)
    a, axis = flat_or_axis(lib, "insert", a, axis)
    local shape = a.shape
    local n = shape[axis + 1]
    values = lib.of_dtype(values, a.dtype, "insert")
    local places = lib.places("insert", at, n, n)
    if type(at) == "number" then
      values = at_one_place(lib, values, #shape, axis)
      for i = 2, values.shape[axis + 1] do places[i] = places[1] end
    end
    shape[axis + 1] = #places
    values = lib.stretch(values, shape, "insert")
    return lib.take(lib.concatenate({a, values}, axis), axis,
                    order_with(n, places))
  end)
end

core.family(function(lib)
  local define = lib.define
  define("pad", {"array", "pad_width", "mode", "constant_values",
                 "stat_length", "end_values", "reflect_type"},
         core.later(lib, "array/pad"))
  stacking(lib, define)
  blocks(lib, define)
  splitting(lib, define)
  editing(lib, define)
end)
