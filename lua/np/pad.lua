-- SPDX-License-Identifier: Apache-2.0
-- Padding: arrays made longer at both ends of their axes.
local np, fail, _, core = ...
local part, gather = core.part, core.gather

-- {before, after} for each axis from a number, a pair or a list of pairs.
local function pairs_of(what, value, ndim)
  local out = {}
  if type(value) ~= "table" and type(value) ~= "userdata" then
    value = {value, value}
  end
  if type(value) == "userdata" then value = value:tolist() end
  for d = 1, ndim do
    local own = value
    if type(value[1]) == "table" then
      if #value ~= ndim and #value ~= 1 then
        fail(("pad: %s has %d pairs and the array %d axes"):format(what,
          #value, ndim))
      end
      own = value[#value == 1 and 1 or d]
    end
    out[d] = {own[1], own[2] == nil and own[1] or own[2]}
  end
  return out
end

-- For each mode the item that place `i` of an axis of n repeats.
local sources = {
  edge = function(i, n) return np.clip(i, 0, n - 1) end,
  wrap = function(i, n) return i % n end,
  reflect = function(i, n)
    if n == 1 then return i * 0 end
    i = i % (2 * n - 2)
    return np.minimum(i, 2 * n - 2 - i)
  end,
  symmetric = function(i, n)
    i = i % (2 * n)
    return np.minimum(i, 2 * n - 1 - i)
  end,
}

local function pad_constant(a, width, values)
  local shape = a.shape
  for d, w in ipairs(width) do shape[d] = shape[d] + w[1] + w[2] end
  local out = np.empty(shape, a.dtype)
  local inner = out
  for d, w in ipairs(width) do
    inner = part(inner, d - 1, w[1] < shape[d] and w[1] or 0, a.shape[d])
  end
  core.assign(inner, a)
  if not values then return out end
  -- Later axes cover the corners, as in NumPy; each within the ones before.
  local rest = out
  for d = #shape, 1, -1 do
    local n, w = shape[d], width[d]
    core.assign(part(rest, d - 1, 0, w[1]), np.asarray(values[d][1]))
    core.assign(part(rest, d - 1, w[2] > 0 and n - w[2] or 0, w[2]),
                np.asarray(values[d][2]))
    rest = part(rest, d - 1, w[1] < n and w[1] or 0, n - w[1] - w[2])
  end
  return out
end

-- ---- Modes that compute what is put there ----

-- `count` items along the axis, all as `item`, which has one.
local function spread(item, axis, count)
  local shape = item.shape
  shape[axis + 1] = count
  return np.broadcast_to(item, shape)
end

local function is_whole(a) return a.dtype:find("^[iu]") ~= nil end

-- What a mode puts in front of `a` and behind it.
local computed = {}

for mode, f in pairs{maximum = "max", minimum = "min", mean = "mean",
                     median = "median"} do
  computed[mode] = function(a, axis, width, o)
    local n = a.shape[axis + 1]
    local lengths = {n, n}
    if o.stat_length then
      lengths = pairs_of("stat_length", o.stat_length, a.ndim)[axis + 1]
    end
    local function piece(count, length, at_front)
      length = math.min(n, length)
      if length < 1 then fail("pad: stat_length is at least 1") end
      local items = part(a, axis, at_front and 0 or n - length, length)
      local r = np.asarray(np[f](items, {axis = axis, keepdims = true}))
      if is_whole(a) and mode:find("^me") then r = np.round(r) end
      return spread(r:astype(a.dtype), axis, count)
    end
    return piece(width[1], lengths[1], true), piece(width[2], lengths[2], false)
  end
end

-- From the edge's values evenly to the end's.
function computed.linear_ramp(a, axis, width, o)
  local n = a.shape[axis + 1]
  local ends = pairs_of("end_values", o.end_values or 0, a.ndim)[axis + 1]
  local function piece(count, edge, last)
    local shape = {}
    for d = 1, a.ndim do shape[d] = d == axis + 1 and count or 1 end
    local k = np.arange(count, "f64"):reshape(shape)
    local r = k * ((edge:astype("f64") - last) / math.max(count, 1)) + last
    return (is_whole(a) and np.floor(r) or r):astype(a.dtype)
  end
  return piece(width[1], part(a, axis, 0, 1), ends[1]),
         np.flip(piece(width[2], part(a, axis, n - 1, 1), ends[2]), axis)
end

-- Mirrored with the values turned about the edge's, again and again until the
-- width is reached. `skip` is 1 where the edge itself is not repeated.
local function turned(skips)
  return function(a, axis, width)
    local n = a.shape[axis + 1]
    local skip = n > 1 and skips or 0
    local function piece(count, at_front)
      local source, parts = a, {}
      while count > 0 do
        local take = math.min(count, n - skip)
        local edge = part(source, axis, at_front and 0 or n - 1, 1)
        source = edge * 2 - np.flip(source, axis)
        if at_front then
          table.insert(parts, 1, part(source, axis, n - skip - take, take))
        else
          parts[#parts + 1] = part(source, axis, skip, take)
        end
        count = count - take
      end
      if #parts == 0 then return part(a, axis, 0, 0) end
      return np.concatenate(parts, axis)
    end
    return piece(width[1], true), piece(width[2], false)
  end
end
local odd = {reflect = turned(1), symmetric = turned(0)}

local function mode_of(mode, reflect_type)
  local is_odd = reflect_type == "odd"
  if not is_odd and reflect_type ~= nil and reflect_type ~= "even" then
    fail(("pad: reflect_type is \"even\" or \"odd\", not %s"):format(
      tostring(reflect_type)))
  end
  if is_odd and odd[mode] then return odd[mode] end
  if computed[mode] then return computed[mode] end
  local source = sources[mode]
  if not source then
    fail(("pad: there is no mode \"%s\": constant, edge, reflect, symmetric, "
          .. "wrap, maximum, minimum, mean, median, linear_ramp and empty are")
      :format(mode))
  end
  return nil, source
end

local names = {"array", "pad_width", "mode", "constant_values", "stat_length",
               "end_values", "reflect_type"}
core.define(np, "pad", names, function(a, width, mode, values, stat_length,
                                       end_values, reflect_type)
  a, mode = np.asarray(a), mode or "constant"
  width = pairs_of("pad_width", width, a.ndim)
  for _, w in ipairs(width) do
    if math.type(w[1]) ~= "integer" or math.type(w[2]) ~= "integer"
        or w[1] < 0 or w[2] < 0 then
      fail("pad: widths are whole numbers from 0 on")
    end
  end
  if mode == "constant" or mode == "empty" then
    return pad_constant(a, width, mode == "constant" and
      pairs_of("constant_values", values or 0, a.ndim))
  end
  local compute, source = mode_of(mode, reflect_type)
  local options = {stat_length = stat_length, end_values = end_values}
  for d, w in ipairs(width) do
    local n = a.shape[d]
    if w[1] + w[2] > 0 then
      if n == 0 then
        fail(("pad: axis %d is empty; only mode \"constant\" and \"empty\" "
              .. "can make it longer"):format(d - 1))
      end
      if source then
        a = gather(a, d - 1, source(np.arange(-w[1], n + w[2]), n))
      else
        local before, after = compute(a, d - 1, w, options)
        a = np.concatenate({before, a, after}, d - 1)
      end
    end
  end
  return a:copy()
end)
