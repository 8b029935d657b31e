-- SPDX-License-Identifier: Apache-2.0
-- jnp: the same elements in another order or shape, repeated, or some of them.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
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

-- Whether elements go in Fortran's order: the first axis runs fastest.
local function is_fortran(order, name)
  if order == nil or order == "C" or order == "A" then return false end
  if order == "F" then return true end
  args.fail(name, "ValueError", "order is \"C\", \"F\" or \"A\", not %s",
            tostring(order))
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

--- reshape(x, shape): one size may be -1, which is what is left.
function M.reshape(x, ...)
  local given = {...}
  local o = {}
  if args.is_keywords(given[#given]) then
    o = args.named("reshape", {"order", "shape"}, table.remove(given))
  elseif type(given[#given]) == "string" then
    o.order = table.remove(given)
  end
  local by_columns = is_fortran(o.order, "reshape")
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
  if not by_columns then return lax.reshape(x, sizes) end
  -- C's order of the axes from the last to the first.
  return M.transpose(lax.reshape(M.transpose(x), reversed(sizes)))
end

function M.ravel(x, ...)
  local order = args.named("ravel", {"order"}, ...).order
  return order and M.reshape(x, -1, order) or M.reshape(x, -1)
end
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
        args.fail("squeeze", "ValueError",
                  "cannot select an axis to squeeze " ..
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
  for i, s in ipairs(shapes) do
    shapes[i] = args.shape(s, "broadcast_shapes")
  end
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
  local a, b = args.axis(axes[1], rank, "rot90"),
    args.axis(axes[2], rank, "rot90")
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
    return lax.reshape(rolled(lax.reshape(x, {core.size(shape)}), total, 0),
                       shape)
  end
  local axes = args.is_list(o.axis) and o.axis or {o.axis}
  for i, axis in ipairs(axes) do
    local shift = args.is_list(o.shift) and (o.shift[i] or o.shift[1]) or
      o.shift
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
  local axis = o.axis or 0
  if #shape_of(x) == 0 then axis = 0 end -- which JAX does not look at
  if o.axis == nil or #shape_of(x) == 0 then x = M.ravel(x) end
  local shape = shape_of(x)
  axis = args.axis(axis, #shape, "repeat")
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

-- ---- Diagonals ----

local function diagonal_axes(x, o, name)
  local shape = shape_of(x)
  if #shape < 2 then
    args.fail(name, "ValueError", "it requires an array of at least two axes")
  end
  local a = args.axis(o.axis1 or 0, #shape, name)
  local b = args.axis(o.axis2 or 1, #shape, name)
  if a == b then
    args.fail(name, "ValueError", "axis1 and axis2 are the same")
  end
  return a, b
end

--- diagonal(x, offset, axis1, axis2): the diagonal becomes the last axis.
function M.diagonal(x, ...)
  local o = args.named("diagonal", {"offset", "axis1", "axis2"}, ...)
  x = array(x, "diagonal")
  local a, b = diagonal_axes(x, o, "diagonal")
  local k = o.offset or 0
  x = M.moveaxis(x, {a, b}, {-2, -1})
  local shape = shape_of(x)
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
  local flat = lax.pad(x, zero,
                       {{first, size * size - first - n - (n - 1) * size,
                                  size}})
  flat = args.as_type(flat, core.dtype_of(x), core.aval_of(x).weak)
  return lax.reshape(flat, {size, size})
end
function M.diagflat(x, ...) return M.diag(M.ravel(x), ...) end

--- trace(x, offset, axis1, axis2): the sum of the diagonal.
function M.trace(x, ...)
  local o = args.named("trace", {"offset", "axis1", "axis2", "dtype"}, ...)
  return jnp.sum(M.diagonal(x, {offset = o.offset, axis1 = o.axis1,
                                axis2 = o.axis2}), {axis = -1, dtype = o.dtype})
end

args.let_be_named(M, {
  swapaxes = {"axis1", "axis2"}, moveaxis = {"source", "destination"},
  rollaxis = {"axis", "start"}, broadcast_to = {"shape"},
})

return M
