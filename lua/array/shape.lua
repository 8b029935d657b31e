-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: axes and their order, diagonals, and elements repeated or at
-- other places of an axis.
local _, _, _, core = ...

local function size_of(shape) return core.size(shape) end

-- ---- Axes ----

local function order_of(rank)
  local order = {}
  for d = 1, rank do order[d] = d - 1 end
  return order
end

-- The order of axes in which those of `from` come to the places `to`.
local function order_with(rank, from, to)
  local is_moved, order, rest = {}, {}, {}
  for i, axis in ipairs(from) do
    is_moved[axis] = true
    order[to[i] + 1] = axis
  end
  for d = 0, rank - 1 do
    if not is_moved[d] then rest[#rest + 1] = d end
  end
  local k = 0
  for d = 1, rank do
    if not order[d] then
      k = k + 1
      order[d] = rest[k]
    end
  end
  return order
end

local function moving(lib, define)
  define("swapaxes", {"a", "axis1", "axis2"}, function(a, x, y)
    a = lib.array(a, "swapaxes")
    local rank = a.ndim
    x, y = lib.axis(x, rank, "swapaxes"), lib.axis(y, rank, "swapaxes")
    local order = order_of(rank)
    order[x + 1], order[y + 1] = y, x
    return lib.transpose(a, order)
  end)
  define("moveaxis", {"a", "source", "destination"}, function(a, from, to)
    a = lib.array(a, "moveaxis")
    from = lib.axes(from, a.ndim, "moveaxis")
    to = lib.axes(to, a.ndim, "moveaxis")
    if #from ~= #to then
      lib.fail("moveaxis", "ValueError", lib.either(
        "%d axes are moved to %d places", "%d axes go to %d places"), #from,
        #to)
    end
    return lib.transpose(a, order_with(a.ndim, from, to))
  end)
  define("rollaxis", {"a", "axis", "start"}, function(a, axis, start)
    a, start = lib.array(a, "rollaxis"), start or 0
    axis = lib.axis(axis, a.ndim, "rollaxis")
    if start < 0 then start = start + a.ndim end
    return lib.xp.moveaxis(a, axis, start > axis and start - 1 or start)
  end)
  define("permute_dims", nil, function(...) return lib.xp.transpose(...) end)
  define("matrix_transpose", {"x"}, function(x)
    x = lib.array(x, "matrix_transpose")
    if lib.either(false, x.ndim < 2) then
      lib.fail("matrix_transpose", "ValueError", "it needs at least two axes")
    end
    return lib.xp.swapaxes(x, -1, -2)
  end)
end

local function ones(lib, define)
  define("expand_dims", {"a", "axis"}, function(a, axis)
    if type(axis) ~= "table" then return lib.insert_axis(a, axis) end
    a = lib.array(a, "expand_dims")
    local axes = lib.axes(axis, a.ndim + #axis, "expand_dims")
    table.sort(axes)
    return lib.insert_axes(a, axes)
  end)
  define("squeeze", {"a", "axis"}, function(a, axis)
    if type(axis) ~= "table" then return lib.drop_axis(a, axis) end
    a = lib.array(a, "squeeze")
    local axes = lib.axes(axis, a.ndim, "squeeze")
    table.sort(axes)
    return lib.drop_axes(a, axes)
  end)
  for rank = 1, 3 do
    local name = ("atleast_%dd"):format(rank)
    local function one(x)
      x = lib.array(x, name)
      local n = x.ndim
      if n >= rank then return x end
      if n == 0 then return lib.reshape(x, {1, rank > 1 and 1 or nil,
                                            rank > 2 and 1 or nil}) end
      if n == 2 then return lib.insert_axes(x, {2}) end
      return lib.insert_axes(x, rank == 2 and {0} or {0, 2})
    end
    define(name, nil, function(...)
      local out = {...}
      for i, x in ipairs(out) do out[i] = one(x) end
      return table.unpack(out)
    end)
  end
end

local function broadcasting(lib, define)
  define("broadcast_shapes", nil, function(...)
    local shapes = {...}
    for i, s in ipairs(shapes) do
      shapes[i] = lib.sizes(s, "broadcast_shapes",
                            "sizes are whole numbers from 0 on")
    end
    return lib.common_shape("broadcast_shapes", shapes)
  end)
  define("broadcast_arrays", nil, function(...)
    local list, shapes = {...}, {}
    for i, x in ipairs(list) do
      list[i] = lib.array(x, "broadcast_arrays")
      shapes[i] = list[i].shape
    end
    local name = lib.either("broadcast_shapes", "broadcast_arrays")
    local shape = lib.common_shape(name, shapes)
    for i, x in ipairs(list) do list[i] = lib.xp.broadcast_to(x, shape) end
    return table.unpack(list)
  end)
end

-- ---- Backwards, around ----

local function turning(lib, define)
  define("flip", {"m", "axis"}, function(a, axis)
    a = lib.array(a, "flip")
    local axes = lib.axes(axis, a.ndim, "flip")
    table.sort(axes)
    return lib.reverse(a, axes)
  end)
  for name, axis in pairs{flipud = 0, fliplr = 1} do
    define(name, {"m"}, function(a)
      a = lib.array(a, name)
      if lib.either(a.ndim <= axis, false) then
        lib.fail(name, "ValueError",
                 "the array has %d axes; it needs at least %d", a.ndim,
                 axis + 1)
      end
      return lib.xp.flip(a, axis)
    end)
  end
  define("rot90", {"m", "k", "axes"}, function(a, k, axes)
    a = lib.array(a, "rot90")
    axes = axes or {0, 1}
    if type(axes) == "number" or #axes ~= 2 then
      lib.fail("rot90", "ValueError", "it takes two axes")
    end
    local x = lib.axis(axes[1], a.ndim, "rot90")
    local y = lib.axis(axes[2], a.ndim, "rot90")
    if x == y then
      lib.fail("rot90", "ValueError", lib.either(
        "axis %d is named twice", "the axes must differ"), axes[2])
    end
    k = (k or 1) % 4
    if k == 0 then return a end
    if k == 2 then
      return lib.reverse(a, {math.min(x, y), math.max(x, y)})
    end
    if k == 1 then return lib.xp.swapaxes(lib.reverse(a, {y}), x, y) end
    return lib.reverse(lib.xp.swapaxes(a, x, y), {y})
  end)
end

local function rolled(lib, x, shift, axis)
  local n = x.shape[axis + 1]
  shift = n > 0 and shift % n or 0
  if shift == 0 then return lib.fresh(x) end
  return lib.join({lib.slice(x, axis, n - shift, shift),
                   lib.slice(x, axis, 0, n - shift)}, axis)
end

local function listed(x)
  return type(x) == "table" and getmetatable(x) == nil and x or {x}
end

local function rolling(lib, define)
  define("roll", {"a", "shift", "axis"}, function(a, shift, axis)
    a = lib.array(a, "roll")
    local shifts = listed(shift)
    if axis == nil then
      local total, shape = 0, a.shape
      for _, s in ipairs(shifts) do total = total + s end
      return lib.reshape(rolled(lib, lib.reshape(a, {size_of(shape)}), total,
                                0), shape)
    end
    local axes = listed(axis)
    if #shifts ~= #axes and #shifts > 1 and #axes > 1 then
      lib.fail("roll", "ValueError", "%d shifts for %d axes", #shifts, #axes)
    end
    for i = 1, math.max(#shifts, #axes) do
      a = rolled(lib, a, shifts[i] or shifts[1],
                 lib.axis(axes[i] or axes[1], a.ndim, "roll"))
    end
    return a
  end)
end

-- ---- Repeating ----

local MOST_AXES <const> = 16

-- Where an array with two axes for each would have too many: one after the
-- other.
local function tiled_in_turn(lib, a, reps)
  for d, n in ipairs(a.shape) do
    local places = {}
    for i = 0, n * reps[d] - 1 do places[i + 1] = i % n end
    if reps[d] ~= 1 then a = lib.take(a, d - 1, places) end
  end
  return lib.fresh(a)
end

local function tiling(lib, define)
  define("tile", {"A", "reps"}, function(a, reps)
    a = lib.array(a, "tile")
    reps = lib.sizes(reps or {}, "tile", "the counts are whole numbers from " ..
                     "0 on")
    local shape = a.shape
    while #shape < #reps do table.insert(shape, 1, 1) end
    while #reps < #shape do table.insert(reps, 1, 1) end
    if #shape == 0 then return lib.fresh(a) end
    local wide, kept, out = {}, {}, {}
    for d, n in ipairs(shape) do
      -- np has few axes: it gets those that are needed.
      if lib.either(reps[d] ~= 1, true) then wide[#wide + 1] = reps[d] end
      wide[#wide + 1], kept[d], out[d] = n, #wide, reps[d] * n
    end
    a = lib.reshape(a, shape)
    if #wide > MOST_AXES then return tiled_in_turn(lib, a, reps) end
    a = lib.spread(a, wide, kept)
    return lib.reshape(lib.fresh(a), out)
  end)
  define("resize", {"a", "new_shape"}, function(a, shape)
    a = lib.xp.ravel(lib.array(a, "resize"))
    shape = lib.sizes(shape, "resize", "sizes are whole numbers from 0 on")
    local size, own = size_of(shape), a.shape[1]
    if own == 0 or size == 0 then return lib.xp.zeros(shape, a.dtype) end
    local whole = lib.xp.tile(a, (size + own - 1) // own)
    return lib.reshape(lib.slice(whole, 0, 0, size), shape)
  end)
end

-- Each item along an axis `count` times.
local function stretched(lib, a, axis, count)
  local wide, kept, out = {}, {}, a.shape
  for d, n in ipairs(out) do
    wide[#wide + 1] = n
    kept[d] = #wide - 1
    if d == axis + 1 then wide[#wide + 1] = count end
  end
  out[axis + 1] = out[axis + 1] * count
  return lib.reshape(lib.fresh(lib.spread(a, wide, kept)), out)
end

-- The places of the items, each as often as its count says.
local function repeated(lib, counts)
  local places = {}
  for i, count in ipairs(counts) do
    if math.type(count) ~= "integer" or count < 0 then
      lib.fail("repeat", "ValueError", "counts are whole numbers from 0 on")
    end
    for _ = 1, count do places[#places + 1] = i - 1 end
  end
  return places
end

local function repeating(lib, define)
  define("repeat", {"a", "repeats", "axis"}, function(a, repeats, axis)
    a = lib.array(a, "repeat")
    if axis == nil or lib.either(false, a.ndim == 0) then -- JAX looks at none
      a, axis = lib.xp.ravel(a), 0
    end
    axis = lib.axis(axis, a.ndim, "repeat")
    local counts, n = lib.numbers(repeats, "repeat", "repeats"),
                      a.shape[axis + 1]
    if #counts ~= 1 and #counts ~= n then
      lib.fail("repeat", "ValueError", lib.either(
        "%d counts for %d items", "%d repeats for %d elements"), #counts, n)
    elseif #counts == 1 and a.ndim < MOST_AXES then
      if math.type(counts[1]) ~= "integer" or counts[1] < 0 then
        lib.fail("repeat", "ValueError", math.type(counts[1]) == "integer" and
                 "a count is negative" or "counts are whole numbers from 0 on")
      end
      return lib.repeat_few(a, axis, counts[1]) or
             stretched(lib, a, axis, counts[1])
    end
    for i = 2, #counts == 1 and n or 0 do counts[i] = counts[1] end
    return lib.take(a, axis, repeated(lib, counts))
  end)
  -- Lua has a word `repeat`.
  define("repeat_", nil, function(...) return lib.xp["repeat"](...) end)
end

-- ---- Diagonals ----

-- Diagonal k of two axes, the first two where none are named.
local function diagonal_of(lib, name, a, k, x, y)
  a = lib.array(a, name)
  if a.ndim < 2 then
    lib.fail(name, "ValueError", lib.either(
      "the array has %d axes; it needs at least two",
      "it requires an array of at least two axes"), a.ndim)
  end
  x, y = lib.axis(x or 0, a.ndim, name), lib.axis(y or 1, a.ndim, name)
  if x == y then
    lib.fail(name, "ValueError", lib.either(
      "the two axes are the same", "axis1 and axis2 are the same"))
  end
  return lib.diagonal(a, k or 0, x, y)
end

local function diagonals(lib, define)
  define("diagonal", {"a", "offset", "axis1", "axis2"}, function(a, k, x, y)
    return diagonal_of(lib, "diagonal", a, k, x, y)
  end)
  define("trace", {"a", "offset", "axis1", "axis2", "dtype"},
         function(a, k, x, y, dtype)
    local name = lib.either("trace", "diagonal")
    return lib.xp.sum(diagonal_of(lib, name, a, k, x, y),
                      {axis = -1, dtype = dtype})
  end)
  define("diag", {"v", "k"}, function(v, k)
    v, k = lib.array(v, "diag"), k or 0
    if v.ndim == 1 then return lib.from_diagonal(v, k) end
    if v.ndim == 2 then
      return diagonal_of(lib, lib.either("diag", "diagonal"), v, k)
    end
    lib.fail("diag", "ValueError", lib.either(
      "the array has %d axes, not one or two",
      "diag input must be 1d or 2d, not %dd"), v.ndim)
  end)
  define("diagflat", {"v", "k"}, function(v, k)
    return lib.from_diagonal(lib.xp.ravel(lib.array(v, "diagflat")), k or 0)
  end)
end

core.family(function(lib)
  local define = lib.define
  moving(lib, define)
  ones(lib, define)
  broadcasting(lib, define)
  turning(lib, define)
  rolling(lib, define)
  tiling(lib, define)
  repeating(lib, define)
  diagonals(lib, define)
end)
