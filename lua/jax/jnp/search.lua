-- SPDX-License-Identifier: Apache-2.0
-- jnp: taking, finding, sorting, counting and running sums. Where the number of
-- results depends on values (nonzero, unique), they are computed at once, or
-- `size` says how many there shall be.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local indexing = use("jnp/indexing")
local arrays = use("core/arrays")
local jnp = use.jnp
local np = use.np
local M = {}

local function shape_of(x) return core.shape_of(x) end
local array, flat_or_axis = args.array_or_table, args.flat_or_axis
local function flat(x) return lax.reshape(x, {core.size(shape_of(x))}) end

-- Why arrays must be known: the shapes of results depend on their values.
local unknown_size = "how many results there are depends on the values, and " ..
  "a traced program has one shape for all: give size = n where the function " ..
  "has it, or choose with jnp.where(condition, a, b)"

-- Indices by a mode of NumPy's; and the gather's mode.
local function by_mode(i, n, mode, name)
  if mode == nil or mode == "fill" then return args.from_front(i, n), "fill" end
  if mode == "clip" then return i, "clip" end
  if mode == "wrap" then return jnp.mod(i, n), "clip" end
  args.fail(name, "ValueError", "mode can be fill, clip or wrap, not %s",
            tostring(mode))
end

-- ---- Taking ----

function M.take(a, ...)
  local o = args.named("take", {"indices", "axis", "out", "mode", "fill_value"},
                       ...)
  local x, axis = flat_or_axis(array(a, "take"), o.axis, "take")
  local i = args.indices(o.indices, "take")
  local shape, rank = shape_of(x), #shape_of(i)
  local mode
  i, mode = by_mode(i, shape[axis + 1], o.mode, "take")
  local offset, sizes = {}, {}
  for d, n in ipairs(shape) do
    sizes[d] = d == axis + 1 and 1 or n
    if d <= axis then offset[#offset + 1] = d - 1 end
    if d > axis + 1 then offset[#offset + 1] = d - 2 + rank end
  end
  if core.size(shape_of(i)) == 0 and shape[axis + 1] == 0 then
    local out = table.move(shape, 1, axis, 1, {})
    table.move(shape_of(i), 1, rank, #out + 1, out)
    return lax.full(table.move(shape, axis + 2, #shape, #out + 1, out), 0,
                    core.dtype_of(x))
  end
  return lax.gather(x, lax.expand_dims(i, {rank}), {
    offset_dims = offset, collapsed_slice_dims = {axis},
    start_index_map = {axis}}, sizes, {mode = mode, fill_value = o.fill_value})
end

function M.take_along_axis(a, ...)
  local name = "take_along_axis"
  local o = args.named(name, {"indices", "axis", "mode", "fill_value"}, ...)
  local x = array(a, name)
  local i = args.indices(o.indices, name)
  local axis
  x, axis = flat_or_axis(x, o.axis == nil and -1 or o.axis, name)
  if #shape_of(x) ~= #shape_of(i) then
    args.fail(name, "ValueError", "the array has %d axes, the indices %d",
              #shape_of(x), #shape_of(i))
  end
  local x_shape, i_shape = {}, {}
  for d, n in ipairs(shape_of(x)) do
    local m = shape_of(i)[d]
    x_shape[d], i_shape[d] = n, m
    if d ~= axis + 1 then
      x_shape[d] = n == 1 and m or n
      i_shape[d] = x_shape[d]
    end
  end
  x = indexing.broadcast(x, x_shape, name)
  i = indexing.broadcast(i, i_shape, name)
  local mode
  i, mode = by_mode(i, x_shape[axis + 1], o.mode, name)
  return lax.take_along(x, i, axis, {mode = mode, fill_value = o.fill_value})
end

-- A condition's elements, known now.
local function known_mask(x, name)
  local host = args.known(x, name, unknown_size)
  return np.not_equal(host, np.array(0, host.dtype))
end

local function one_axis(name, x, what)
  local shape = shape_of(array(x, name))
  if #shape ~= 1 then
    args.fail(name, "ValueError", "%s must be 1-dimensional, not of shape %s",
              what, core.shape_text(shape))
  end
end

-- ---- Finding ----

local function truth(x)
  if core.dtype_of(x) == "bool" then return x end
  return lax.ne(x, 0)
end

local function count(mask)
  return jnp.sum(lax.convert_element_type(mask, "i32"))
end

-- The first `size` flat positions where the mask (one axis) holds; `fill` for
-- those that are missing.
local function first_places(mask, size, fill)
  local n = shape_of(mask)[1]
  local marks = lax.convert_element_type(mask, "i32")
  local number = lax.sub(lax.cumsum(marks, 0), 1)
  local to = lax.select_n(mask, lax.full({n}, size, "i32"), number)
  return indexing.update(lax.full({size}, fill, "i32"), to, "set",
                         lax.iota("i32", {n}, 0), {mode = "drop"})
end

local function places_of(name, a, o)
  local x = array(a, name)
  local shape = shape_of(x)
  if o.size == nil then
    local out = {np.nonzero(known_mask(x, name))}
    if args.is_list(out[1]) then out = out[1] end
    for i, p in ipairs(out) do out[i] = arrays.device_put(p:astype("i32")) end
    return out
  end
  local mask, out, stride = truth(flat(x)), {}, 1
  local places = first_places(mask, o.size, 0)
  local is_there = lax.lt(lax.iota("i32", {o.size}, 0),
                          lax.broadcast_in_dim(count(mask), {o.size}, {}))
  for d = #shape, 1, -1 do
    local fill = o.fill_value or 0
    if args.is_list(fill) then fill = fill[d] end
    local at = lax.rem(lax.div(places, stride), math.max(shape[d], 1))
    out[d] = lax.select_n(is_there, lax.full({o.size}, fill, "i32"), at)
    stride = stride * math.max(shape[d], 1)
  end
  return out
end

local finding = {"size", "fill_value"}
--- nonzero(a, size, fill_value): the places along each axis.
function M.nonzero(a, ...)
  return table.unpack(places_of("nonzero", a, args.named("nonzero", finding,
                                                         ...)))
end
function M.flatnonzero(a, ...)
  local o = args.named("flatnonzero", finding, ...)
  return places_of("flatnonzero", flat(array(a, "flatnonzero")), o)[1]
end
function M.argwhere(a, ...)
  local o = args.named("argwhere", finding, ...)
  return jnp.stack(places_of("argwhere", a, o), -1)
end

local function is_nan(x)
  return types.is_float(core.dtype_of(x)) and lax.ne(x, x)
end

-- Whether x stands before y in sorted order: NaN is last.
local function before(x, y)
  local less, x_nan, y_nan = lax.lt(x, y), is_nan(x), is_nan(y)
  if not x_nan then return less end
  return lax["or"](less, lax["and"](y_nan, lax["not"](x_nan)))
end

--- searchsorted(a, v, side, sorter)
function M.searchsorted(a, ...)
  local name = "searchsorted"
  local o = args.named(name, {"v", "side", "sorter", "method"}, ...)
  local pair = args.promoted(name, {array(a, name), array(o.v, name)})
  local x, v = arrays.array_of(pair[1]), arrays.array_of(pair[2])
  if #shape_of(x) ~= 1 then
    args.fail(name, "ValueError", "a should be 1-dimensional, and has %d axes",
              #shape_of(x))
  end
  local side = o.side or "left"
  if side ~= "left" and side ~= "right" then
    args.fail(name, "ValueError", "side is \"left\" or \"right\", not %s",
              tostring(side))
  end
  if o.sorter ~= nil then x = M.take(x, o.sorter) end
  local n, shape = shape_of(x)[1], shape_of(v)
  local low, high = lax.full(shape, 0, "i32"), lax.full(shape, n, "i32")
  if n == 0 then return low end
  local reach = 1
  while reach <= n do -- halves what is left until nothing is
    local middle = lax.div(lax.add(low, high), 2)
    local e = M.take(x, middle, {mode = "clip"})
    local is_left
    if side == "left" then
      is_left = lax["not"](before(e, v))
    else
      is_left = before(v, e)
    end
    local is_open = lax.lt(low, high)
    local up = lax["and"](lax["not"](is_left), is_open)
    low = lax.select_n(up, low, lax.add(middle, 1))
    high = lax.select_n(lax["and"](is_left, is_open), high, middle)
    reach = 2 * reach
  end
  return low
end

-- ---- Sorting ----

local sorting = {"axis", "kind", "order", "stable", "descending"}

function M.sort(a, ...)
  local o = args.named("sort", sorting, ...)
  local axis = o.axis == nil and -1 or o.axis
  local x
  x, axis = flat_or_axis(array(a, "sort"), axis, "sort")
  local y = lax.sort(x, axis)
  return o.descending and lax.rev(y, {axis}) or y
end

function M.argsort(a, ...)
  local o = args.named("argsort", sorting, ...)
  local axis = o.axis == nil and -1 or o.axis
  local x
  x, axis = flat_or_axis(array(a, "argsort"), axis, "argsort")
  local places = lax.iota("i32", shape_of(x), axis)
  if o.descending then
    x, places = lax.rev(x, {axis}), lax.rev(places, {axis})
  end
  local _, order = lax.sort({x, places}, axis)
  return o.descending and lax.rev(order, {axis}) or order
end

--- partition(a, kth, axis): the kth and what is below in order, then the rest.
function M.partition(a, ...)
  local o = args.named("partition", {"kth", "axis"}, ...)
  local x = array(a, "partition")
  local axis = args.axis(o.axis or -1, #shape_of(x), "partition")
  local n = shape_of(x)[axis + 1]
  local kth = o.kth
  if math.type(kth) ~= "integer" or kth < -n or kth >= n then
    args.fail("partition", "ValueError", "kth = %s of %d elements",
              tostring(kth), n)
  end
  local s = lax.sort(x, axis)
  kth = kth % n
  return lax.concatenate({
    lax.slice_in_dim(s, 0, kth + 1, 1, axis),
    lax.rev(lax.slice_in_dim(s, kth + 1, n, 1, axis), {axis})}, axis)
end

-- ---- Distinct elements ----

local function unique_known(x, o)
  x = args.known(x, "unique", unknown_size)
  local out = {np.unique(x, o.return_index or false,
                         o.return_inverse or false, o.return_counts or false)}
  if args.is_list(out[1]) then out = out[1] end
  for i, y in ipairs(out) do
    out[i] = arrays.device_put(i > 1 and y:astype("i32") or y)
  end
  return table.unpack(out)
end

--- unique(ar, return_index, return_inverse, return_counts, size, fill_value)
function M.unique(ar, ...)
  local o = args.named("unique", {"return_index", "return_inverse",
                                  "return_counts", "size", "fill_value"}, ...)
  local whole = array(ar, "unique")
  if o.size == nil then return unique_known(whole, o) end
  local x = flat(whole)
  local n, size = shape_of(x)[1], o.size
  local s, order = lax.sort({x, lax.iota("i32", {n}, 0)})
  local a, b = lax.slice_in_dim(s, 1, n, 1, 0), lax.slice_in_dim(s, 0, n - 1,
                                                                1, 0)
  local differs = lax.ne(a, b)
  if is_nan(a) then
    differs = lax["and"](differs, lax["not"](lax["and"](is_nan(a), is_nan(b))))
  end
  local is_new = lax.concatenate({lax.full({1}, true, "bool"), differs}, 0)
  local places = first_places(is_new, size, n)
  local is_there = lax.lt(places, n)
  local fill = o.fill_value
  local first = lax.broadcast_in_dim(lax.index_in_dim(s, 0, 0, false),
                                     {size}, {})
  fill = fill ~= nil and lax.full({size}, fill, core.dtype_of(x)) or first
  local out = {lax.select_n(is_there, fill, M.take(s, places,
                                                   {mode = "clip"}))}
  if o.return_index then
    out[#out + 1] = M.take(order, lax.select_n(is_there, lax.full_like(places,
                                                                       0),
                                               places), {mode = "clip"})
  end
  if o.return_inverse then
    local number = lax.sub(lax.cumsum(lax.convert_element_type(is_new, "i32"),
                                      0), 1)
    local back = indexing.update(lax.full({n}, 0, "i32"), order, "set", number,
                                 {unique_indices = true})
    out[#out + 1] = lax.reshape(back, shape_of(whole))
  end
  if o.return_counts then
    local ends = lax.slice_in_dim(first_places(is_new, size + 1, n), 1,
                                  size + 1, 1, 0)
    out[#out + 1] = lax.sub(ends, places)
  end
  return table.unpack(out)
end

-- ---- Counting ----

--- bincount(x, weights, minlength, length)
function M.bincount(x, ...)
  local o = args.named("bincount", {"weights", "minlength", "length"}, ...)
  one_axis("bincount", x, "x")
  local i = args.indices(x, "bincount")
  local length = o.length
  if length == nil then
    local host = args.known(i, "bincount", "its length depends on the " ..
                            "values: give length = n")
    local most = host.size > 0 and math.tointeger(np.max(host)) or -1
    length = math.max(host.size > 0 and math.max(most, 0) + 1 or 0,
                      o.minlength or 0)
  end
  i = lax.max(i, lax.full_like(i, 0))
  local w = o.weights ~= nil and array(o.weights, "bincount") or nil
  local t = w and core.dtype_of(w) or config.int()
  return indexing.update(lax.full({length}, 0, t), i, "add", w or 1,
                         {mode = "drop"})
end

-- ---- Running sums ----

local function cumulative(name, prim)
  M[name] = function(a, ...)
    local o = args.named(name, {"axis", "dtype", "out"}, ...)
    local x, axis = flat_or_axis(array(a, name), o.axis, name)
    local t = core.dtype_of(x)
    local wanted = o.dtype and types.canonical(o.dtype)
    if wanted == "bool" then -- whether any so far, or all
      x = args.as_type(args.as_type(x, wanted), "i32")
      return args.as_type(lax[prim](x, axis), wanted)
    elseif wanted then
      x = lax.convert_element_type(x, wanted)
    elseif t == "bool" or config.numpy and t:find("^i") then
      x = lax.convert_element_type(x, config.int())
    elseif config.numpy and t:find("^u") then
      x = lax.convert_element_type(x, "u64")
    end
    return lax[prim](args.as_type(x, core.dtype_of(x)), axis)
  end
end
cumulative("cumsum", "cumsum")
cumulative("cumprod", "cumprod")

return M
