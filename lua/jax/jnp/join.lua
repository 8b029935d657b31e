-- SPDX-License-Identifier: Apache-2.0
-- jnp: arrays joined and padded.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

local function array(x, name) return args.array(x, name) end
local function shape_of(x) return core.shape_of(x) end

-- ---- Joining ----

--- concatenate(arrays, axis): axis 0 without one.
function M.concatenate(arrays, ...)
  if type((...)) == "userdata" or core.is_tracer((...)) then
    args.fail("concatenate", "TypeError", "the arrays stand in a table: " ..
              "jnp.concatenate({x, y})")
  end
  local o = args.named("concatenate", {"axis", "dtype"}, ...)
  local list = args.arrays(arrays, "concatenate")
  for i, x in ipairs(list) do list[i] = array(x, "concatenate") end
  if o.dtype then
    for i, x in ipairs(list) do list[i] = jnp.astype(x, o.dtype) end
  end
  list = args.promoted("concatenate", list)
  if o.axis == "None" then
    for i, x in ipairs(list) do list[i] = jnp.ravel(x) end
    o.axis = 0
  end
  local rank = #shape_of(list[1])
  if rank == 0 then
    args.fail("concatenate", "ValueError",
              "Zero-dimensional arrays cannot be " ..
              "concatenated: jnp.stack joins them")
  end
  return lax.concatenate(list, args.axis(o.axis or 0, rank, "concatenate"))
end
-- ---- Padding ----

-- {{before, after}, ...} for each axis, from a number, a pair or such pairs.
local function pairs_for(x, rank, name)
  if type(x) == "userdata" then x = use.np.asarray(x):tolist() end
  local out = {}
  if not args.is_list(x) then x = {x, x} end
  if #x == 1 and not args.is_list(x[1]) then x = {x[1], x[1]} end
  if not args.is_list(x[1]) then
    if #x ~= 2 then
      args.fail(name, "ValueError",
                "a width is a number, {before, after} or " ..
                "one pair for each axis")
    end
    for d = 1, rank do out[d] = {x[1], x[2]} end
    return out
  end
  if #x ~= rank and #x ~= 1 then
    args.fail(name, "ValueError", "%d pairs for %d axes", #x, rank)
  end
  for d = 1, rank do
    local pair = x[#x == 1 and 1 or d]
    out[d] = {pair[1], pair[2] or pair[1]}
  end
  return out
end

local function along(x, axis, from, to, by)
  return lax.slice_in_dim(x, from, to, by or 1, axis)
end

local function spread_along(part, axis, n)
  local shape = args.copy(shape_of(part))
  shape[axis + 1] = n
  return jnp.broadcast_to(part, shape)
end

-- What a mode puts in front of and behind x along one axis.
local sides = {}

function sides.edge(x, axis, before, after)
  local n = shape_of(x)[axis + 1]
  return spread_along(along(x, axis, 0, 1), axis, before),
         spread_along(along(x, axis, n - 1, n), axis, after)
end

-- Mirrored again and again until the width is reached; `skip` is 1 where the
-- edge itself is not repeated. An odd mirror turns the values, too, about those
-- of the edge.
local function mirror(skip)
  return function(x, axis, before, after, o)
    local n = shape_of(x)[axis + 1]
    local function piece(count, at_front)
      local parts, left, source = {}, count, x
      if n == 1 and skip == 1 then
        return spread_along(along(x, axis, 0, 1), axis, count)
      end
      while left > 0 do
        local take = math.min(left, n - skip)
        source = lax.rev(source, {axis})
        if o.reflect_type == "odd" then
          local size = shape_of(source)[axis + 1]
          local edge = at_front and along(source, axis, size - 1, size) or
                       along(source, axis, 0, 1)
          source = jnp.subtract(jnp.multiply(2, edge), source)
        end
        -- The mirrored copy's part that touches what is there already.
        local part = at_front and along(source, axis, n - skip - take, n - skip)
                     or along(source, axis, skip, skip + take)
        if at_front then table.insert(parts, 1, part)
        else parts[#parts + 1] = part end
        left = left - take
      end
      if #parts == 0 then return along(x, axis, 0, 0) end
      return lax.concatenate(parts, axis)
    end
    return piece(before, true), piece(after, false)
  end
end
sides.reflect = mirror(1)
sides.symmetric = mirror(0)

function sides.wrap(x, axis, before, after)
  local n = shape_of(x)[axis + 1]
  local function piece(count, at_front)
    local parts, left = {}, count
    while left > 0 do
      local take = math.min(left, n)
      if at_front then table.insert(parts, 1, along(x, axis, n - take, n))
      else parts[#parts + 1] = along(x, axis, 0, take) end
      left = left - take
    end
    if #parts == 0 then return along(x, axis, 0, 0) end
    return lax.concatenate(parts, axis)
  end
  return piece(before, true), piece(after, false)
end

local statistics = {maximum = "max", minimum = "min", mean = "mean",
                    median = "median"}
for mode, f in pairs(statistics) do
  sides[mode] = function(x, axis, before, after, o)
    local n = shape_of(x)[axis + 1]
    local lengths = pairs_for(o.stat_length or n, #shape_of(x), "pad")[axis + 1]
    local function piece(count, from, to)
      local v = jnp[f](along(x, axis, from, to), {axis = axis, keepdims = true})
      if jnp.issubdtype(core.dtype_of(x), "integer") then v = jnp.round(v) end
      return spread_along(jnp.astype(v, core.dtype_of(x)), axis, count)
    end
    return piece(before, 0, math.min(n, lengths[1])),
           piece(after, n - math.min(n, lengths[2]), n)
  end
end

function sides.linear_ramp(x, axis, before, after, o)
  local n = shape_of(x)[axis + 1]
  local ends = pairs_for(o.end_values or 0, #shape_of(x), "pad")[axis + 1]
  local t = core.dtype_of(x)
  local function piece(count, edge, stop)
    local shape = args.copy(shape_of(x))
    shape[axis + 1] = count
    local k = lax.iota("f32", shape, axis)
    local first = jnp.broadcast_to(lax.convert_element_type(edge, "f32"), shape)
    local step = lax.div(lax.sub(first, core.literal(stop + 0.0, "f32")),
                         core.literal(math.max(count, 1) + 0.0, "f32"))
    return lax.convert_element_type(
      lax.add(lax.mul(k, step), core.literal(stop + 0.0, "f32")), t)
  end
  return piece(before, along(x, axis, 0, 1), ends[1]),
         lax.rev(piece(after, along(x, axis, n - 1, n), ends[2]), {axis})
end

local function pad_constant(x, widths, values)
  local rank, t = #shape_of(x), core.dtype_of(x)
  values = values == nil and 0 or values
  if not args.is_list(values) then
    local edges = {}
    for d, w in ipairs(widths) do edges[d] = {w[1], w[2], 0} end
    return lax.pad(x, args.as_type(args.value(values, "pad"), t, false), edges)
  end
  local each = pairs_for(values, rank, "pad")
  for d, w in ipairs(widths) do
    for side = 1, 2 do
      local edges = {}
      for k = 1, rank do edges[k] = {0, 0, 0} end
      edges[d][side] = w[side]
      x = lax.pad(x, args.as_type(args.value(each[d][side], "pad"), t, false),
                  edges)
    end
  end
  return x
end

--- pad(x, widths, mode): constant, edge, reflect, symmetric, wrap, maximum,
--- minimum, mean, median, linear_ramp or empty.
function M.pad(x, ...)
  local o = args.named("pad", {"pad_width", "mode", "constant_values",
                               "stat_length", "end_values", "reflect_type"},
                       ...)
  x = array(x, "pad")
  local rank, mode = #shape_of(x), o.mode or "constant"
  local widths = pairs_for(o.pad_width, rank, "pad")
  for _, w in ipairs(widths) do
    if w[1] < 0 or w[2] < 0 then
      args.fail("pad", "ValueError", "index can't contain negative values")
    end
  end
  if mode == "constant" or mode == "empty" then
    return pad_constant(x, widths, mode == "constant" and o.constant_values)
  end
  if not sides[mode] then
    core.fail("unsupported", "NotImplementedError", "pad: there is no mode %s",
              tostring(mode))
  end
  if o.reflect_type and o.reflect_type ~= "even" and
     o.reflect_type ~= "odd" then
    args.fail("pad", "ValueError", "reflect_type is \"even\" or \"odd\", " ..
              "not %s", tostring(o.reflect_type))
  end
  for d, w in ipairs(widths) do
    if w[1] > 0 or w[2] > 0 then
      if shape_of(x)[d] == 0 then
        args.fail("pad", "ValueError", "axis %d is empty: only mode " ..
                  "\"constant\" can pad it", d - 1)
      end
      local before, after = sides[mode](x, d - 1, w[1], w[2], o)
      x = lax.concatenate({before, x, after}, d - 1)
    end
  end
  return x
end

return M
