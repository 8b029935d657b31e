-- SPDX-License-Identifier: Apache-2.0
-- jnp: the same elements in another order or shape; joining and splitting.
local use = ...
local core = use("core")
local lax = use("lax")
local args = use("jnp_args")
local jnp = use.jnp
local M = {}

local function array(x, name) return args.array(x, name) end
local function shape_of(x) return core.shape_of(x) end

-- Sizes or axes given one by one, or as one table.
local function listed(...)
  local first = ...
  if args.is_list(first) then return first end
  return {...}
end

-- ---- One array ----

--- reshape(x, shape): one size may be -1, which is what is left.
function M.reshape(x, ...)
  local given = {...}
  local o = {}
  if args.is_keywords(given[#given]) then
    o = args.named("reshape", {"order", "shape"}, table.remove(given))
  end
  if o.order and o.order ~= "C" then
    core.fail("unsupported", "NotImplementedError", "reshape: order %q",
              tostring(o.order))
  end
  x = array(x, "reshape")
  local sizes = args.shape(o.shape or listed(table.unpack(given)), "reshape",
                           true)
  local known, open, size = 1, nil, core.size(shape_of(x))
  for i, n in ipairs(sizes) do
    if n == -1 then
      if open then
        args.fail("reshape", "ValueError", "only one size may be -1: %s",
                  core.shape_text(sizes))
      end
      open = i
    else
      known = known * n
    end
  end
  if open and known > 0 and size % known == 0 then
    sizes[open] = size // known
  elseif open or known ~= size then
    args.fail("reshape", "TypeError", "cannot reshape array of shape %s " ..
              "(size %d) into shape %s", core.shape_text(shape_of(x)), size,
              core.shape_text(sizes))
  end
  return lax.reshape(x, sizes)
end

function M.ravel(x) return M.reshape(x, -1) end
M.flatten = M.ravel

--- transpose(x, axes): reversed without axes.
function M.transpose(x, ...)
  x = array(x, "transpose")
  local rank, order = #shape_of(x), {}
  local axes = listed(...)
  if args.is_keywords(axes) then axes = axes.axes or {} end
  if #axes == 0 then
    for d = 1, rank do order[d] = rank - d end
    return lax.transpose(x, order)
  end
  local seen = args.axes(axes, rank, "transpose")
  if #seen ~= rank then
    args.fail("transpose", "ValueError", "%d axes for an array with %d", #seen,
              rank)
  end
  for i, a in ipairs(axes) do order[i] = args.axis(a, rank, "transpose") end
  return lax.transpose(x, order)
end
M.permute_dims = M.transpose

function M.matrix_transpose(x)
  x = array(x, "matrix_transpose")
  if #shape_of(x) < 2 then
    args.fail("matrix_transpose", "ValueError", "it needs at least two axes")
  end
  return M.swapaxes(x, -1, -2)
end

function M.swapaxes(x, axis1, axis2)
  x = array(x, "swapaxes")
  local rank, order = #shape_of(x), {}
  local a = args.axis(axis1, rank, "swapaxes")
  local b = args.axis(axis2, rank, "swapaxes")
  for d = 0, rank - 1 do order[d + 1] = d == a and b or d == b and a or d end
  return lax.transpose(x, order)
end

--- moveaxis(x, source, destination): each a number or a list.
function M.moveaxis(x, source, destination)
  x = array(x, "moveaxis")
  local rank = #shape_of(x)
  source = args.is_list(source) and source or {source}
  destination = args.is_list(destination) and destination or {destination}
  if #source ~= #destination then
    args.fail("moveaxis", "ValueError", "%d axes go to %d places", #source,
              #destination)
  end
  args.axes(source, rank, "moveaxis")
  args.axes(destination, rank, "moveaxis")
  local order, moved, to = {}, {}, {}
  for i, a in ipairs(source) do
    a = args.axis(a, rank, "moveaxis")
    moved[a] = true
    to[args.axis(destination[i], rank, "moveaxis")] = a
  end
  local next_axis = 0
  for d = 0, rank - 1 do
    if to[d] then
      order[d + 1] = to[d]
    else
      while moved[next_axis] do next_axis = next_axis + 1 end
      order[d + 1] = next_axis
      next_axis = next_axis + 1
    end
  end
  return lax.transpose(x, order)
end

function M.rollaxis(x, axis, start)
  x = array(x, "rollaxis")
  local rank = #shape_of(x)
  axis = args.axis(axis, rank, "rollaxis")
  start = start or 0
  if start < 0 then start = start + rank end
  if start > axis then start = start - 1 end
  return M.moveaxis(x, axis, start)
end

--- squeeze(x, axis): without axes of size 1.
function M.squeeze(x, ...)
  local axis = args.named("squeeze", {"axis"}, ...).axis
  x = array(x, "squeeze")
  local shape, dims = shape_of(x), {}
  if axis ~= nil then
    dims = args.axes(axis, #shape, "squeeze")
    for _, d in ipairs(dims) do
      if shape[d + 1] ~= 1 then
        args.fail("squeeze", "ValueError", "cannot select an axis to squeeze " ..
                  "out which has size not equal to one, got axis %d of %s", d,
                  core.shape_text(shape))
      end
    end
  else
    for d, n in ipairs(shape) do
      if n == 1 then dims[#dims + 1] = d - 1 end
    end
  end
  return lax.squeeze(x, dims)
end

--- expand_dims(x, axis): with new axes of size 1 at these places.
function M.expand_dims(x, ...)
  local axis = args.named("expand_dims", {"axis"}, ...).axis
  x = array(x, "expand_dims")
  axis = args.is_list(axis) and axis or {axis}
  local dims = args.axes(axis, #shape_of(x) + #axis, "expand_dims")
  return lax.expand_dims(x, dims)
end

--- broadcast_to(x, shape)
function M.broadcast_to(x, shape)
  x = array(x, "broadcast_to")
  shape = args.shape(shape, "broadcast_to")
  local own = shape_of(x)
  local ok = #own <= #shape
  for d, n in ipairs(own) do
    ok = ok and (n == 1 or n == shape[#shape - #own + d])
  end
  if not ok then
    args.fail("broadcast_to", "ValueError", "Incompatible shapes for " ..
              "broadcasting: %s and requested shape %s", core.shape_text(own),
              core.shape_text(shape))
  end
  return args.stretch(x, shape)
end

function M.broadcast_arrays(...)
  local list = {...}
  for i = 1, #list do list[i] = array(list[i], "broadcast_arrays") end
  return table.unpack((args.stretched("broadcast_arrays", list)))
end

function M.broadcast_shapes(...)
  local shapes = {...}
  for i, s in ipairs(shapes) do shapes[i] = args.shape(s, "broadcast_shapes") end
  return args.broadcast_shapes("broadcast_shapes", shapes)
end

local function at_least(rank)
  local name = ("atleast_%dd"):format(rank)
  local function one(x)
    x = array(x, name)
    local n = #shape_of(x)
    if n >= rank then return x end
    if n == 0 then return lax.reshape(x, rank == 1 and {1} or rank == 2 and
                                      {1, 1} or {1, 1, 1}) end
    if n == 1 then
      return lax.expand_dims(x, rank == 2 and {0} or {0, 2})
    end
    return lax.expand_dims(x, {2})
  end
  M[name] = function(...)
    local out = {...}
    for i = 1, #out do out[i] = one(out[i]) end
    return table.unpack(out)
  end
end
at_least(1)
at_least(2)
at_least(3)

--- flip(x, axis): backwards; along all axes without one.
function M.flip(x, ...)
  local axis = args.named("flip", {"axis"}, ...).axis
  x = array(x, "flip")
  return lax.rev(x, args.axes(axis, #shape_of(x), "flip"))
end
function M.fliplr(x) return M.flip(x, 1) end
function M.flipud(x) return M.flip(x, 0) end

--- rot90(x, k, axes): k quarter turns, from the first axis to the second.
function M.rot90(x, ...)
  local o = args.named("rot90", {"k", "axes"}, ...)
  x = array(x, "rot90")
  local rank, axes = #shape_of(x), o.axes or {0, 1}
  local a, b = args.axis(axes[1], rank, "rot90"), args.axis(axes[2], rank, "rot90")
  if a == b then args.fail("rot90", "ValueError", "the axes must differ") end
  local k = (o.k or 1) % 4
  if k == 0 then return x end
  if k == 2 then return lax.rev(x, {math.min(a, b), math.max(a, b)}) end
  if k == 1 then return M.swapaxes(lax.rev(x, {b}), a, b) end
  return lax.rev(M.swapaxes(x, a, b), {b})
end

local function rolled(x, shift, axis)
  local n = shape_of(x)[axis + 1]
  if n == 0 then return x end
  shift = shift % n
  if shift == 0 then return x end
  return lax.concatenate({lax.slice_in_dim(x, n - shift, n, 1, axis),
                          lax.slice_in_dim(x, 0, n - shift, 1, axis)}, axis)
end

--- roll(x, shift, axis): what falls off comes in at the other end.
function M.roll(x, ...)
  local o = args.named("roll", {"shift", "axis"}, ...)
  x = array(x, "roll")
  local shape = shape_of(x)
  if o.axis == nil then
    local total = 0
    for _, s in ipairs(args.is_list(o.shift) and o.shift or {o.shift}) do
      total = total + s
    end
    return lax.reshape(rolled(lax.reshape(x, {core.size(shape)}), total, 0), shape)
  end
  local axes = args.is_list(o.axis) and o.axis or {o.axis}
  for i, axis in ipairs(axes) do
    local shift = args.is_list(o.shift) and (o.shift[i] or o.shift[1]) or o.shift
    x = rolled(x, shift, args.axis(axis, #shape, "roll"))
  end
  return x
end

-- ---- Repeating ----

--- tile(x, reps): x laid side by side, reps times along each axis.
function M.tile(x, ...)
  local reps = args.named("tile", {"reps"}, ...).reps
  x = array(x, "tile")
  reps = args.shape(reps or {}, "tile")
  local shape = args.copy(shape_of(x))
  while #shape < #reps do table.insert(shape, 1, 1) end
  while #reps < #shape do table.insert(reps, 1, 1) end
  local wide, kept, out = {}, {}, {}
  for d, n in ipairs(shape) do
    wide[2 * d - 1], wide[2 * d] = reps[d], n
    kept[d] = 2 * d - 1
    out[d] = reps[d] * n
  end
  x = lax.reshape(x, shape)
  if #shape == 0 then return x end
  return lax.reshape(lax.broadcast_in_dim(x, wide, kept), out)
end

-- Each element `counts` times along an axis: parts and their copies.
local function repeat_each(x, counts, axis)
  local parts = {}
  for i, n in ipairs(counts) do
    local part = lax.slice_in_dim(x, i - 1, i, 1, axis)
    local shape = args.copy(shape_of(part))
    shape[axis + 1] = n
    if n > 0 then parts[#parts + 1] = M.broadcast_to(part, shape) end
  end
  if #parts == 0 then return lax.slice_in_dim(x, 0, 0, 1, axis) end
  return lax.concatenate(parts, axis)
end

M["repeat"] = function(x, ...)
  local o = args.named("repeat", {"repeats", "axis"}, ...)
  x = array(x, "repeat")
  if o.axis == nil then x = M.ravel(x) end
  local shape = shape_of(x)
  local axis = args.axis(o.axis or 0, #shape, "repeat")
  local n = o.repeats
  if core.is_tracer(n) then
    args.fail("repeat", "ConcretizationTypeError", "the size of the result " ..
              "would depend on a traced value: make `repeats` static")
  elseif type(n) == "userdata" then
    n = use.np.asarray(n):tolist()
  end
  if type(n) == "table" then
    local size = shape[axis + 1]
    if #n == 1 then
      n = n[1]
    elseif #n ~= size then
      args.fail("repeat", "ValueError", "%d repeats for %d elements", #n, size)
    else
      return repeat_each(x, n, axis)
    end
  end
  local wide, kept, out = {}, {}, args.copy(shape)
  for d, size in ipairs(shape) do
    wide[#wide + 1] = size
    kept[d] = #wide - 1
    if d == axis + 1 then wide[#wide + 1] = n end
  end
  out[axis + 1] = out[axis + 1] * n
  return lax.reshape(lax.broadcast_in_dim(x, wide, kept), out)
end
M.repeat_ = M["repeat"] -- Lua has a word `repeat`

-- ---- Joining ----

--- concatenate(arrays, axis): axis 0 without one.
function M.concatenate(arrays, ...)
  local o = args.named("concatenate", {"axis", "dtype"}, ...)
  local list = args.arrays(arrays, "concatenate")
  for i, x in ipairs(list) do list[i] = array(x, "concatenate") end
  if o.dtype then
    for i, x in ipairs(list) do list[i] = jnp.astype(x, o.dtype) end
  end
  list = args.promoted("concatenate", list)
  if o.axis == "None" then
    for i, x in ipairs(list) do list[i] = M.ravel(x) end
    o.axis = 0
  end
  local rank = #shape_of(list[1])
  if rank == 0 then
    args.fail("concatenate", "ValueError", "Zero-dimensional arrays cannot be " ..
              "concatenated: jnp.stack joins them")
  end
  return lax.concatenate(list, args.axis(o.axis or 0, rank, "concatenate"))
end
M.concat = M.concatenate

--- stack(arrays, axis): along a new axis.
function M.stack(arrays, ...)
  local o = args.named("stack", {"axis", "dtype"}, ...)
  local list = args.arrays(arrays, "stack")
  for i, x in ipairs(list) do list[i] = array(x, "stack") end
  local shape = shape_of(list[1])
  for _, x in ipairs(list) do
    if not core.same_shape(shape, shape_of(x)) then
      args.fail("stack", "ValueError", "all input arrays must have the same " ..
                "shape: %s and %s", core.shape_text(shape),
                core.shape_text(shape_of(x)))
    end
  end
  local axis = args.axis(o.axis or 0, #shape + 1, "stack")
  for i, x in ipairs(list) do list[i] = lax.expand_dims(x, {axis}) end
  return M.concatenate(list, {axis = axis, dtype = o.dtype})
end

local function joined(name, axis, at_least_rank)
  M[name] = function(arrays, ...)
    local o = args.named(name, {"dtype"}, ...)
    local list = args.arrays(arrays, name)
    for i, x in ipairs(list) do
      list[i] = M[("atleast_%dd"):format(at_least_rank)](x)
    end
    local at = axis or (#shape_of(list[1]) == 1 and 0 or 1)
    return M.concatenate(list, {axis = at, dtype = o.dtype})
  end
end
joined("vstack", 0, 2)
joined("hstack", nil, 1)
joined("dstack", 2, 3)

--- column_stack(arrays): vectors become columns.
function M.column_stack(arrays)
  local list = args.arrays(arrays, "column_stack")
  for i, x in ipairs(list) do
    x = array(x, "column_stack")
    if #shape_of(x) < 2 then x = M.reshape(x, -1, 1) end
    list[i] = x
  end
  return M.concatenate(list, 1)
end

--- append(x, values, axis): both flat without an axis.
function M.append(x, values, ...)
  local axis = args.named("append", {"axis"}, ...).axis
  if axis == nil then
    return M.concatenate({M.ravel(x), M.ravel(values)}, 0)
  end
  return M.concatenate({x, values}, axis)
end

--- block(nested tables of arrays): joined as they are nested.
function M.block(blocks)
  local function depth(b)
    return args.is_list(b) and 1 + depth(b[1]) or 0
  end
  local total = depth(blocks)
  local function rank_of(b)
    if not args.is_list(b) then return #shape_of(array(b, "block")) end
    local most = 0
    for _, part in ipairs(b) do most = math.max(most, rank_of(part)) end
    return most
  end
  local rank = math.max(total, rank_of(blocks))
  local function build(b, level)
    if not args.is_list(b) then
      local x = array(b, "block")
      local shape = args.copy(shape_of(x))
      while #shape < rank do table.insert(shape, 1, 1) end
      return lax.reshape(x, shape)
    end
    local parts = {}
    for i, part in ipairs(b) do parts[i] = build(part, level - 1) end
    return M.concatenate(parts, rank - level)
  end
  return build(blocks, total)
end

-- ---- Splitting ----

-- As many pieces, or the places to cut at.
local function split(name, x, where, axis, may_differ)
  x = array(x, name)
  local shape = shape_of(x)
  axis = args.axis(axis, #shape, name)
  local n, cuts = shape[axis + 1], {}
  if type(where) == "userdata" then where = use.np.asarray(where):tolist() end
  if type(where) == "number" then
    if where < 1 then args.fail(name, "ValueError", "%d pieces", where) end
    if n % where ~= 0 and not may_differ then
      args.fail(name, "ValueError", "array split does not result in an equal " ..
                "division: %d elements in %d pieces", n, where)
    end
    local each, more, at = n // where, n % where, 0
    for i = 1, where - 1 do
      at = at + each + (i <= more and 1 or 0)
      cuts[i] = at
    end
  else
    for i, c in ipairs(where) do
      if c < 0 then c = c + n end
      cuts[i] = math.max(0, math.min(c, n))
    end
  end
  local out, from = {}, 0
  cuts[#cuts + 1] = n
  for i, to in ipairs(cuts) do
    out[i] = lax.slice_in_dim(x, from, math.max(from, to), 1, axis)
    from = to
  end
  return out
end

--- split(x, sections or places, axis): a table of arrays.
function M.split(x, where, ...)
  local axis = args.named("split", {"axis"}, ...).axis
  return split("split", x, where, axis or 0)
end
function M.array_split(x, where, ...)
  local axis = args.named("array_split", {"axis"}, ...).axis
  return split("array_split", x, where, axis or 0, true)
end
function M.vsplit(x, where) return split("vsplit", x, where, 0) end
function M.hsplit(x, where)
  x = array(x, "hsplit")
  return split("hsplit", x, where, #shape_of(x) == 1 and 0 or 1)
end
function M.dsplit(x, where) return split("dsplit", x, where, 2) end

--- unstack(x, axis): the arrays along one axis.
function M.unstack(x, ...)
  local axis = args.named("unstack", {"axis"}, ...).axis or 0
  x = array(x, "unstack")
  axis = args.axis(axis, #shape_of(x), "unstack")
  local out = split("unstack", x, shape_of(x)[axis + 1], axis)
  for i, part in ipairs(out) do out[i] = lax.squeeze(part, {axis}) end
  return table.unpack(out)
end

-- ---- Diagonals ----

local function diagonal_sizes(x, o, name)
  local shape = shape_of(x)
  if #shape < 2 then
    args.fail(name, "ValueError", "it requires an array of at least two axes")
  end
  local a = args.axis(o.axis1 or 0, #shape, name)
  local b = args.axis(o.axis2 or 1, #shape, name)
  if a == b then args.fail(name, "ValueError", "axis1 and axis2 are the same") end
  return shape, a, b
end

--- diagonal(x, offset, axis1, axis2): the diagonal becomes the last axis.
function M.diagonal(x, ...)
  local o = args.named("diagonal", {"offset", "axis1", "axis2"}, ...)
  x = array(x, "diagonal")
  local shape, a, b = diagonal_sizes(x, o, "diagonal")
  local k = o.offset or 0
  x = M.moveaxis(x, {a, b}, {-2, -1})
  shape = shape_of(x)
  local r = #shape
  local rows, cols = shape[r - 1], shape[r]
  local count = math.max(0, k >= 0 and math.min(rows, cols - k) or
                            math.min(rows + k, cols))
  local row, col = k < 0 and -k or 0, k > 0 and k or 0
  if count == 0 then row, col = 0, 0 end
  x = lax.slice_in_dim(x, row, row + count, 1, r - 2)
  x = lax.slice_in_dim(x, col, col + count, 1, r - 1)
  -- Of a square, the diagonal is every (n + 1)-th element of its rows in order.
  local flat = args.copy(shape_of(x))
  flat[r - 1], flat[r] = count * count, nil
  x = lax.reshape(x, flat)
  if count == 0 then return x end
  local from, to, by = {}, {}, {}
  for d, n in ipairs(flat) do from[d], to[d], by[d] = 0, n, 1 end
  by[r - 1] = count + 1
  return lax.slice(x, from, to, by)
end

--- diag(x, k): the diagonal of a matrix, or the matrix of a diagonal.
function M.diag(x, ...)
  local k = args.named("diag", {"k"}, ...).k or 0
  x = array(x, "diag")
  local shape = shape_of(x)
  if #shape == 2 then return M.diagonal(x, k) end
  if #shape ~= 1 then
    args.fail("diag", "ValueError", "diag input must be 1d or 2d, not %dd",
              #shape)
  end
  local n = shape[1]
  local size = n + math.abs(k)
  -- Each element followed by `size` zeros, row after row.
  local zero = core.literal(core.dtype_of(x) == "bool" and false or 0,
                            core.dtype_of(x))
  if n == 0 then return lax.full({size, size}, zero.value, core.dtype_of(x)) end
  local first = k >= 0 and k or -k * size
  local flat = lax.pad(x, zero, {{first, size * size - first - n - (n - 1) * size,
                                  size}})
  return lax.reshape(flat, {size, size})
end
function M.diagflat(x, ...) return M.diag(M.ravel(x), ...) end

--- trace(x, offset, axis1, axis2): the sum of the diagonal.
function M.trace(x, ...)
  local o = args.named("trace", {"offset", "axis1", "axis2", "dtype"}, ...)
  return jnp.sum(M.diagonal(x, {offset = o.offset, axis1 = o.axis1,
                                axis2 = o.axis2}), {axis = -1, dtype = o.dtype})
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
      args.fail(name, "ValueError", "a width is a number, {before, after} or " ..
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
  return M.broadcast_to(part, shape)
end

-- What a mode puts in front of and behind x along one axis.
local sides = {}

function sides.edge(x, axis, before, after)
  local n = shape_of(x)[axis + 1]
  return spread_along(along(x, axis, 0, 1), axis, before),
         spread_along(along(x, axis, n - 1, n), axis, after)
end

-- Mirrored again and again until the width is reached; `skip` is 1 where the
-- edge itself is not repeated.
local function mirror(skip)
  return function(x, axis, before, after)
    local n = shape_of(x)[axis + 1]
    local function piece(count, at_front)
      local parts, left, source = {}, count, x
      if n == 1 and skip == 1 then
        return spread_along(along(x, axis, 0, 1), axis, count)
      end
      while left > 0 do
        local take = math.min(left, n - skip)
        source = lax.rev(source, {axis})
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
    local first = M.broadcast_to(lax.convert_element_type(edge, "f32"), shape)
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
    local config = {}
    for d, w in ipairs(widths) do config[d] = {w[1], w[2], 0} end
    return lax.pad(x, args.as_type(args.value(values, "pad"), t, false), config)
  end
  local each = pairs_for(values, rank, "pad")
  for d, w in ipairs(widths) do
    for side = 1, 2 do
      local config = {}
      for k = 1, rank do config[k] = {0, 0, 0} end
      config[d][side] = w[side]
      x = lax.pad(x, args.as_type(args.value(each[d][side], "pad"), t, false),
                  config)
    end
  end
  return x
end

--- pad(x, widths, mode): constant, edge, reflect, symmetric, wrap, maximum,
--- minimum, mean, median, linear_ramp or empty.
function M.pad(x, widths, ...)
  local o = args.named("pad", {"mode", "constant_values", "stat_length",
                               "end_values", "reflect_type"}, ...)
  x = array(x, "pad")
  local rank, mode = #shape_of(x), o.mode or "constant"
  widths = pairs_for(widths, rank, "pad")
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
  if o.reflect_type and o.reflect_type ~= "even" then
    core.fail("unsupported", "NotImplementedError", "pad: reflect_type %s",
              tostring(o.reflect_type))
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
