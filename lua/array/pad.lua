-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: arrays made longer at both ends of their axes. Gives pad;
-- loaded when it is first called.
local np = ...

local function is_list(x)
  return type(x) == "table" and getmetatable(x) == nil
end

-- {before, after} for each axis from a number, a pair or a list of pairs.
local function pairs_of(lib, what, value, ndim)
  if type(value) == "userdata" and value.ndim > 0 then
    value = np.asarray(value):tolist()
  end
  if not is_list(value) then value = {value} end
  local count, out = #value, {}
  local is_nested = is_list(value[1])
  if is_nested and count ~= ndim and count ~= 1 then
    lib.fail("pad", "ValueError", "%s has %d pairs and the array %d axes", what,
             count, ndim)
  elseif not is_nested and count ~= 1 and count ~= 2 then
    lib.fail("pad", "ValueError", "%s is a number, {before, after} or one "
             .. "pair for each axis", what)
  end
  for d = 1, ndim do
    local own = is_nested and value[count == 1 and 1 or d] or value
    out[d] = {own[1], own[2] == nil and own[1] or own[2]}
  end
  return out
end

local function widths_of(lib, width, ndim)
  local out = pairs_of(lib, "pad_width", width, ndim)
  for _, w in ipairs(out) do
    local is_whole = math.type(w[1]) == "integer"
                     and math.type(w[2]) == "integer"
    if not is_whole or w[1] < 0 or w[2] < 0 then
      lib.fail("pad", is_whole and "ValueError" or "TypeError",
               "widths are whole numbers from 0 on")
    end
  end
  return out
end

-- ---- Modes that repeat items ----

-- For each the item that place `i` of an axis of n repeats.
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

-- ---- Modes that compute what is put there ----

local function is_whole(a) return a.dtype:find("^[iu]") ~= nil end

-- What a mode puts in front of `a` and behind it.
local computed = {}

for mode, f in pairs{maximum = "max", minimum = "min", mean = "mean",
                     median = "median"} do
  computed[mode] = function(lib, a, axis, width, o)
    local xp, n = lib.xp, a.shape[axis + 1]
    local lengths = pairs_of(lib, "stat_length", o.stat_length or n, a.ndim)
    local function piece(side, from)
      local length = math.min(n, lengths[axis + 1][side])
      if length < 1 then
        lib.fail("pad", "ValueError", "stat_length is at least 1")
      end
      local items = lib.slice(a, axis, from and 0 or n - length, length)
      local r = xp[f](items, {axis = axis, keepdims = true})
      if is_whole(a) and mode:find("^me") then r = xp.round(r) end
      local shape = table.move(a.shape, 1, a.ndim, 1, {})
      shape[axis + 1] = width[side]
      return xp.broadcast_to(lib.cast(r, a.dtype), shape)
    end
    return piece(1, true), piece(2, false)
  end
end

-- From the edge's values evenly to the end's.
function computed.linear_ramp(lib, a, axis, width, o)
  local n = a.shape[axis + 1]
  local t = lib.either("f64", a.dtype == "f64" and "f64" or "f32")
  local ends = pairs_of(lib, "end_values", o.end_values or 0, a.ndim)[axis + 1]
  local function piece(side, at)
    local count, last, shape = width[side], ends[side], {}
    for d = 1, a.ndim do shape[d] = d == axis + 1 and count or 1 end
    local edge = lib.cast(lib.slice(a, axis, at, 1), t)
    local r = lib.ramp(t, shape, axis, "pad") *
              ((edge - last) / math.max(count, 1)) + last
    return lib.cast(is_whole(a) and lib.xp.floor(r) or r, a.dtype)
  end
  return piece(1, 0), lib.reverse(piece(2, n - 1), {axis})
end

-- Mirrored with the values turned about the edge's, again and again until the
-- width is reached. `skip` is 1 where the edge itself is not repeated.
local function turned(skip)
  return function(lib, a, axis, width)
    local n = a.shape[axis + 1]
    local function piece(count, at_front)
      local source, parts = a, {}
      while count > 0 do
        local take = math.min(count, n - skip)
        local edge = lib.slice(source, axis, at_front and 0 or n - 1, 1)
        source = edge * 2 - lib.reverse(source, {axis})
        local from = at_front and n - skip - take or skip
        table.insert(parts, at_front and 1 or #parts + 1,
                     lib.slice(source, axis, from, take))
        count = count - take
      end
      if #parts == 0 then return lib.slice(a, axis, 0, 0) end
      return lib.join(parts, axis)
    end
    return piece(width[1], true), piece(width[2], false)
  end
end
local odd = {reflect = turned(1), symmetric = turned(0)}

-- ---- pad ----

local function mode_of(lib, mode, reflect_type)
  if reflect_type ~= nil and reflect_type ~= "even" and reflect_type ~= "odd"
  then
    lib.fail("pad", "ValueError", "reflect_type is \"even\" or \"odd\", not %s",
             tostring(reflect_type))
  end
  if not sources[mode] and not computed[mode] then
    lib.fail("pad", "NotImplementedError", "there is no mode \"%s\": constant, "
             .. "edge, reflect, symmetric, wrap, maximum, minimum, mean, "
             .. "median, linear_ramp and empty are", tostring(mode))
  end
  return computed[mode] or reflect_type == "odd" and odd[mode], sources[mode]
end

return function(lib, a, width, mode, values, stat_length, end_values, kind)
  a, mode = lib.array(a, "pad"), mode or "constant"
  width = widths_of(lib, width, a.ndim)
  if mode == "constant" or mode == "empty" then
    if values == nil or mode == "empty" then values = 0 end
    if is_list(values) or type(values) == "userdata" and values.ndim > 0 then
      values = pairs_of(lib, "constant_values", values, a.ndim)
    end
    return lib.pad_with(a, width, values)
  end
  local compute, source = mode_of(lib, mode, kind)
  local options = {stat_length = stat_length, end_values = end_values}
  local given = a
  for d, w in ipairs(width) do
    local n = a.shape[d]
    if w[1] + w[2] > 0 then
      if n == 0 then
        lib.fail("pad", "ValueError", "axis %d is empty; only mode "
          .. "\"constant\" and \"empty\" can make it longer", d - 1)
      elseif source and not (compute and n > 1) then
        a = lib.pick(a, d - 1, source(np.arange(-w[1], n + w[2]), n))
      else
        local before, after = compute(lib, a, d - 1, w, options)
        a = lib.join({before, a, after}, d - 1)
      end
    end
  end
  return rawequal(a, given) and lib.fresh(a) or a
end
