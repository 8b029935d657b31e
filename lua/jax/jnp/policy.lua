-- SPDX-License-Identifier: Apache-2.0
-- What jnp gives to the functions that np and jnp share (../../array/): JAX's
-- words for mistakes, its types, and the primitives that they are made of. np's
-- is ../../np/policy.lua; ../../array/README.md says what each is.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local api = use("transforms/api")
local prim = use("prims/fft")
local matrix = use("prims/linalg")
local tree = use("core/tree")
local arrays = use("core/arrays")
local indexing = use("jnp/indexing")
local writing = use("jnp/writing")
local jnp, np = use.jnp, use.np
local M = {}
local lib = {xp = jnp}

local function shape_of(x) return core.shape_of(x) end

-- The first argument, or as many as `given`, stand by position; the others may
-- be named, all of them where `given` is 0.
local function with_names(name, names, f, given)
  local rest = table.move(names, given + 1, #names, 1, {})
  local count = #rest
  local function spread(o)
    local list = {}
    for i, argument in ipairs(rest) do list[i] = o[argument] end
    return table.unpack(list, 1, count)
  end
  if given == 0 then
    return function(...) return f(spread(args.named(name, rest, ...))) end
  elseif given == 1 then
    return function(x, ...) return f(x, spread(args.named(name, rest, ...))) end
  elseif given == 2 then
    return function(x, y, ...)
      return f(x, y, spread(args.named(name, rest, ...)))
    end
  end
  return function(x, y, z, ...)
    return f(x, y, z, spread(args.named(name, rest, ...)))
  end
end

function lib.define(name, names, f, given)
  M[name] = names and with_names(name, names, f, given or 1) or f
end

M.fft, M.linalg = {}, {}
function lib.define_in(part, name, names, f)
  local is_linalg = part == "linalg"
  M[part][name] = with_names(is_linalg and "linalg." .. name or name, names, f,
                             is_linalg and 0 or 1)
end

function lib.define_writer(name, names, f)
  local rest = table.move(names, 2, #names, 1, {})
  writing.define(M, name, rest, function(x, o)
    local list = {}
    for i, argument in ipairs(rest) do list[i] = o[argument] end
    return f(x, table.unpack(list, 1, #rest))
  end)
end

function lib.either(_, of_jnp) return of_jnp end

lib.fail = args.fail

-- ---- Arguments ----

lib.array, lib.array_or_table = args.array, args.array_or_table
lib.axis = args.axis

function lib.arrays(list, name)
  list = args.arrays(list, name)
  for i, x in ipairs(list) do list[i] = args.array(x, name) end
  return list
end

function lib.axes(axes, rank, name)
  local sorted = args.axes(axes, rank, name)
  if not args.is_list(axes) then return sorted end
  local out = {}
  for i, a in ipairs(axes) do out[i] = args.axis(a, rank, name) end
  return out
end

function lib.sizes(x, name) return args.shape(x, name) end

function lib.numbers(x, name, argument)
  if core.is_tracer(x) then
    args.fail(name, "ConcretizationTypeError", "the size of the result " ..
              "would depend on a traced value: make `%s` static", argument)
  elseif type(x) == "userdata" then
    return np.ravel(np.asarray(x)):tolist()
  end
  return args.is_list(x) and args.copy(x) or {x}
end

lib.common_shape = args.broadcast_shapes

function lib.cuts(places, n, name)
  local from = 0
  for k, i in ipairs(places) do
    if not config.numpy and (i < from or i > n) then
      args.fail(name, "ValueError", "Sizes passed to split must be " ..
                "nonnegative: the places {%s} of %d elements",
                table.concat(places, ", "), n)
    end
    from = i
    if i < 0 then i = i + n end
    places[k] = math.max(0, math.min(i, n))
  end
  return places
end

-- Where items go, JAX clamps places; of those to be deleted it does not.
function lib.places(name, at, n, last)
  local list, clamps = at, last == n and not config.numpy
  if type(at) == "number" then
    list = {at}
  elseif type(at) == "userdata" or core.is_tracer(at) then
    local host = args.known(at, name, "the positions must be known when " ..
                            "tracing")
    if host.dtype == "bool" then host = np.flatnonzero(host) end
    list = np.ravel(host):tolist()
  end
  local out = {}
  for k, i in ipairs(list) do
    local is_whole = math.type(i) == "integer"
    if clamps and is_whole then
      i = math.min(math.max(i < 0 and i + n or i, 0), n)
    elseif not is_whole or i < -n or i >= n then
      args.fail(name, "IndexError", "index %s is out of bounds for size %d",
                tostring(i), n)
    end
    out[k] = i < 0 and i + n or i
  end
  return out
end

lib.shape = args.shape

lib.value = args.value

function lib.of_dtype(x, dtype, name)
  return lax.convert_element_type(args.array_or_table(x, name), dtype)
end

function lib.shape_of(x, name)
  return args.copy(core.shape_of(args.value(x, name)))
end

function lib.with_options(name, names, ...)
  local list = table.pack(...)
  if not args.is_keywords(list[list.n]) then return list, {} end
  local o = args.named(name, names, list[list.n])
  list[list.n] = nil
  return list, o
end

function lib.condition(_, x) return x end

-- In their own type, as floats.
function lib.comparable(name, a, b)
  local list, _, _, shape = args.together(name, args.pair(name, a, b))
  a, b = args.as_float(list[1]), args.as_float(list[2])
  return args.filled(a, shape), args.filled(b, shape)
end

-- ---- Elements that are known ----

local function known(x, name)
  return args.known(x, name, "how many elements the result has depends on " ..
                    "values, which are not known while a function is " ..
                    "traced: compute it outside of jit")
end

function lib.known_pair(name, a, b)
  a, b = known(a, name), known(b, name)
  local t = np.promote_types(a.dtype, b.dtype)
  return a:astype(t), b:astype(t)
end

function lib.known_places(x) return arrays.device_put(x:astype("i32")) end

function lib.known_condition(name, condition)
  local shape = shape_of(args.array_or_table(condition, name))
  if #shape ~= 1 then
    args.fail(name, "ValueError", "%s must be 1-dimensional, not of shape %s",
              "condition", core.shape_text(shape))
  end
  local host = args.known(condition, name, "how many results there are " ..
    "depends on the values, and a traced program has one shape for all: " ..
    "give size = n where the function has it, or choose with " ..
    "jnp.where(condition, a, b)")
  return np.not_equal(host, np.array(0, host.dtype))
end

function lib.take_at(x, at, axis)
  x, axis = args.flat_or_axis(x, axis, "compress")
  local n = shape_of(x)[axis + 1]
  if at.size > 0 and at[-1] >= n then
    args.fail("compress", "ValueError", "the condition holds at %d, and the " ..
              "axis has size %d", at[-1], n)
  end
  return jnp.take(x, arrays.device_put(at), {axis = axis, mode = "clip"})
end

function lib.flat_index(index, size)
  local rest = lax.convert_element_type(
    args.array_or_table(index, "unravel_index"), "i32")
  rest = jnp.where(jnp.less(rest, 0), rest + size, rest)
  return jnp.clip(rest, 0, size - 1)
end

function lib.index_list(list, name)
  local out = {}
  for i, x in ipairs(list) do out[i] = args.array_or_table(x, name) end
  return out
end

-- Numbers from 0 to n - 1 by NumPy's mode; fails(text, ...) where one is not.
local function within(name, i, n, mode, text)
  mode = mode or "raise"
  if mode == "wrap" then return jnp.remainder(i, n) end
  if mode == "clip" then return jnp.clip(i, 0, n - 1) end
  if mode ~= "raise" then
    args.fail(name, "ValueError", "mode is raise, wrap or clip, not %s",
              tostring(mode))
  end
  local k = known(i, name .. " with mode = \"raise\" (not wrap, clip)")
  if np.any(np.logical_or(k:lt(0), k:ge(n))) then
    args.fail(name, "ValueError", text, n)
  end
  return i
end

function lib.place_within(name, i, n, mode)
  return within(name, i, n, mode, "an index is outside of the axis of %d")
end

function lib.choice(a, n, mode)
  return within("choose", a, n, mode, "a number is not among the %d choices")
end

function lib.shaped_as(r, a)
  return jnp.broadcast_to(r, np.broadcast_shapes(shape_of(r), shape_of(a)))
end

function lib.write(x, at, values)
  return writing.put_flat(x, shape_of(x), at, writing.cycled(values,
    jnp.arange(shape_of(at)[1])))
end

function lib.rising(bins)
  return lax.ge(lib.item(bins, 0, shape_of(bins)[1] - 1), lib.item(bins, 0, 0))
end

-- ---- Types ----

function lib.is_float(x) return types.is_float(core.dtype_of(x)) end

lib.int, lib.float = config.int, config.float

-- Of jnp.tri, whatever the width.
function lib.tri_type() return config.numpy and config.float() or "f32" end

function lib.is_whole(dtype, name)
  return not types.is_float(args.dtype(dtype, name))
end

function lib.type_of(name, x)
  if type(x) == "string" then return types.named(x) end
  return core.dtype_of(args.value(x, name))
end

-- A type, also a weak one.
function lib.operand_type(name, x)
  if type(x) == "string" then return core.aval({}, args.dtype(x, name)) end
  return core.aval_of(args.value(x, name))
end

function lib.common_type(list)
  for i, x in ipairs(list) do
    if type(x) ~= "table" then list[i] = lib.operand_type("result_type", x) end
  end
  return (types.result_type(list))
end

function lib.is_scalar(x) return use.is_jax(x) and #shape_of(x) == 0 end

function lib.weighed(x, w)
  local a = args.together_float("average", args.pair("average", x, w))
  return a[1], args.filled(a[2], shape_of(a[1]))
end

function lib.strong_floats(x)
  x = args.as_float(x)
  return args.as_type(x, core.dtype_of(x))
end

function lib.both_floats(name, x, y)
  local a = args.together_float(name, args.pair(name, x, y))
  local shape = args.broadcast_shapes(name, {shape_of(a[1]), shape_of(a[2])})
  return args.filled(a[1], shape), args.filled(a[2], shape)
end

function lib.curve(name, y, x)
  x = x ~= nil and args.array(x, name) or nil
  return args.promoted(name, {args.array(y, name), x}, types.inexact)[1], x
end

function lib.observations(m, y)
  local a = args.promoted("cov", {args.array(m, "cov"),
                                  y ~= nil and args.array(y, "cov") or nil},
                          types.inexact)
  return a[1], a[2]
end

function lib.observation_weights(w, what, n)
  if w == nil then return nil end
  w = args.array_or_table(w, "cov")
  if #shape_of(w) ~= 1 or shape_of(w)[1] ~= n then
    args.fail("cov", "ValueError", "incompatible numbers of samples and %s: " ..
              "%d and %s", what, n, core.shape_text(shape_of(w)))
  elseif what == "fweights" and not types.is_integer(core.dtype_of(w)) then
    args.fail("cov", "TypeError", "fweights must be integer.")
  end
  return jnp.abs(w)
end

function lib.spacings(x, ...)
  local given, o = lib.with_options("gradient", {"axis"}, ...)
  local count = given.n and given[given.n] == nil and given.n - 1 or
                given.n or #given
  local numbers = {args.array(x, "gradient")}
  for i = 1, count do -- they have their say in the type
    given[i] = args.is_list(given[i]) and jnp.array(given[i]) or given[i]
    numbers[i + 1] = given[i]
  end
  x = args.promoted("gradient", numbers, types.inexact)[1]
  local axes = args.axes(o.axis, #shape_of(x), "gradient")
  if count > 1 and count ~= #axes then
    args.fail("gradient", "TypeError", "%d spacings for %d axes", count, #axes)
  end
  return x, function(i, axis)
    local step = given[count == 1 and 1 or i] or 1.0
    if type(step) == "number" then return step end
    step = args.as_type(args.array(step, "gradient"), core.dtype_of(x))
    if #shape_of(step) > 1 then
      args.fail("gradient", "ValueError",
                "Spacing arrays must be 1D arrays or scalars.")
    elseif #shape_of(step) == 1 and shape_of(step)[1] ~= shape_of(x)[axis + 1]
    then
      args.fail("gradient", "ValueError",
                "Spacing arrays must have the same length as the dimension " ..
                "along which the gradient is calculated: %d, not %d",
                shape_of(x)[axis + 1], shape_of(step)[1])
    end
    return step
  end, axes
end

-- ---- Results ----

function lib.like(_, r) return r end
lib.unchanged = args.done
function lib.strong(x) return args.as_type(x, core.dtype_of(x)) end
function lib.no() return args.done(core.literal(false, "bool")) end

function lib.several(list)
  if config.numpy then return list end
  return table.unpack(list)
end

function lib.plain(x) return x end
lib.cast = args.as_type
function lib.fresh(x) return x end
function lib.known(x) return arrays.device_put(x) end

function lib.full_like(x, v) return jnp.full_like(x, v) end

function lib.of_type(r, x)
  return args.as_type(r, core.dtype_of(x), core.aval_of(x).weak)
end

function lib.found(_, at, none) return jnp.where(none, -1, at) end

-- ---- Primitives ----

function lib.is_known(x) return lax.eq(x, x) end

lib.sums = lax.reduce_sum

-- No slope goes by way of it.
function lib.finite_max(x, axes)
  local count, most = 1, lax.reduce_max(x, axes)
  for _, d in ipairs(axes) do count = count * shape_of(x)[d + 1] end
  if count == 0 then most = lax.full_like(most, 0) end
  return lax.stop_gradient(lax.select_n(lax.is_finite(most),
                                        lax.full_like(most, 0), most))
end

function lib.masked(name, x, o) return jnp[name](x, o) end

-- JAX's sum for even steps.
function lib.even_area(y, dx, axis)
  y = jnp.moveaxis(y, axis, -1)
  local rank = #shape_of(y)
  local n = shape_of(y)[rank]
  local function at(k) return lax.index_in_dim(y, k, rank - 1, false) end
  local ends = jnp.multiply(0.5, jnp.add(at(0), at(n - 1)))
  return jnp.multiply(dx, jnp.subtract(jnp.sum(y, {axis = -1}), ends))
end

function lib.reduced(name, x, axis, keepdims)
  return jnp[name](x, {axis = axis, keepdims = keepdims})
end

lib.transpose, lib.reshape = lax.transpose, lax.reshape
lib.insert_axes, lib.join = lax.expand_dims, lax.concatenate
lib.reverse, lib.spread = lax.rev, lax.broadcast_in_dim
lib.stretch = indexing.broadcast

function lib.concatenate(list, axis, dtype)
  return jnp.concatenate(list, {axis = axis, dtype = dtype})
end

function lib.insert_axis(x, axis)
  x = args.array(x, "expand_dims")
  return lax.expand_dims(x, {args.axis(axis, #shape_of(x) + 1, "expand_dims")})
end

function lib.drop_axis(x, axis)
  x = args.array(x, "squeeze")
  local axes = {}
  if axis ~= nil then
    return lib.drop_axes(x, args.axes(axis, #shape_of(x), "squeeze"))
  end
  for d, n in ipairs(shape_of(x)) do
    if n == 1 then axes[#axes + 1] = d - 1 end
  end
  return lax.squeeze(x, axes)
end

function lib.drop_axes(x, axes)
  local shape = shape_of(x)
  for _, d in ipairs(axes) do
    if shape[d + 1] ~= 1 then
      args.fail("squeeze", "ValueError",
                "cannot select an axis to squeeze " ..
                "out which has size not equal to one, got axis %d of %s", d,
                core.shape_text(shape))
    end
  end
  return lax.squeeze(x, axes)
end

function lib.slice(x, axis, from, count)
  return lax.slice_in_dim(x, from, from + count, 1, axis)
end

function lib.item(x, axis, at)
  return lax.squeeze(lax.slice_in_dim(x, at, at + 1, 1, axis), {axis})
end

function lib.order_by(keys, axis)
  local operands = {}
  for i = #keys, 1, -1 do operands[#operands + 1] = keys[i] end
  operands[#operands + 1] = lax.iota("i32", shape_of(operands[1]), axis)
  local out = {lax.sort(operands, {dimension = axis, num_keys = #keys})}
  return out[#out]
end

function lib.take(x, axis, places)
  local at = #places == 0 and np.zeros(0, "i32") or np.array(places, "i32")
  return jnp.take(x, arrays.device_put(at), {axis = axis, mode = "clip"})
end

-- Stretches of x, forwards and backwards, and stretched items: a place after
-- the other needs no gather.
function lib.pick(x, axis, places)
  local list, parts, i = places:tolist(), {}, 1
  while i <= #list do
    local first, j = list[i], i
    local step = (list[i + 1] or first) - first
    if math.abs(step) > 1 then step = 1 end
    while list[j + 1] == list[j] + step do j = j + 1 end
    local low, high = math.min(first, list[j]), math.max(first, list[j])
    local piece = lax.slice_in_dim(x, low, high + 1, 1, axis)
    if step == 0 then
      local shape = args.copy(shape_of(x))
      shape[axis + 1] = j - i + 1
      piece = jnp.broadcast_to(piece, shape)
    elseif step == -1 then
      piece = lax.rev(piece, {axis})
    end
    parts[#parts + 1], i = piece, j + 1
  end
  return #parts == 1 and parts[1] or lax.concatenate(parts, axis)
end

function lib.pad_with(x, widths, values)
  local rank, t = #shape_of(x), core.dtype_of(x)
  local function padded(v, edges)
    x = lax.pad(x, args.as_type(args.value(v, "pad"), t, false), edges)
  end
  local edges = {}
  for d, w in ipairs(widths) do edges[d] = {w[1], w[2], 0} end
  if not args.is_list(values) then
    padded(values, edges)
    return x
  end
  for d, w in ipairs(widths) do
    for side = 1, 2 do
      for k = 1, rank do edges[k] = {0, 0, 0} end
      edges[d][side] = w[side]
      padded(values[d][side], args.copy(edges))
    end
  end
  return x
end

function lib.repeat_few() return nil end

function lib.ramp(dtype, shape, axis, name)
  return lax.iota(args.dtype(dtype, name), shape, axis)
end

function lib.diagonal(x, k, a, b)
  x = jnp.moveaxis(x, {a, b}, {-2, -1})
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

function lib.from_diagonal(v, k)
  local n, t = shape_of(v)[1], core.dtype_of(v)
  local size = n + math.abs(k)
  -- Each element followed by `size` zeros, row after row.
  local zero = core.literal(t == "bool" and false or 0, t)
  if n == 0 then return lax.full({size, size}, zero.value, t) end
  local first = k >= 0 and k or -k * size
  local flat = lax.pad(v, zero,
                       {{first, size * size - first - n - (n - 1) * size,
                                  size}})
  flat = args.as_type(flat, t, core.aval_of(v).weak)
  return lax.reshape(flat, {size, size})
end

function lib.ones_on(shape, k, dtype)
  local t = args.dtype(dtype, "eye") or config.float()
  local i, j = lax.iota("i32", shape, 0), lax.iota("i32", shape, 1)
  local on = lax.eq(lax.add(i, core.literal(k, "i32")), j)
  return lax.convert_element_type(on, t)
end

function lib.lower(shape, k)
  local r = #shape
  local i, j = lax.iota("i32", shape, r - 2), lax.iota("i32", shape, r - 1)
  return lax.ge(lax.add(i, core.literal(k, "i32")), j)
end

-- x where the mask holds, else y.
function lib.select(mask, x, y) return lax.select_n(mask, y, x) end

function lib.zero_like(x)
  return lax.full_like(x, core.dtype_of(x) == "bool" and false or 0)
end

function lib.round_whole()
  core.fail("unsupported", "NotImplementedError",
            "round: integers with decimals < 0")
end

-- A constant of x's type, as x is.
local function constant(x, v)
  local a = core.aval_of(x)
  return args.as_type(core.literal(v, a.dtype, true), a.dtype, a.weak)
end

function lib.round_at(x, decimals)
  local t, wide = core.dtype_of(x), x
  if t == "f16" or t == "bf16" then
    wide = lax.convert_element_type(x, "f32")
  end
  local factor = constant(wide, 10.0^decimals)
  wide = lax.div(lax.round(lax.mul(wide, factor), 1), factor)
  return lax.convert_element_type(wide, t, core.aval_of(x).weak)
end

function lib.clip() return nil end
function lib.bounds(_, min, max) return min, max end
function lib.in_order(x, limit) return limit, x end

-- ---- Products ----

function lib.dot_lines() return nil end

-- Two arrays of one type.
function lib.operands(name, x, y)
  local a = args.promoted(name, args.pair(name, x, y))
  return args.array(a[1], name), args.array(a[2], name)
end

function lib.float_operands(name, x, y)
  x, y = lib.operands(name, jnp.atleast_1d(x), jnp.atleast_1d(y))
  return args.as_float(x), args.as_float(y)
end

function lib.of_types(r) return r end

function lib.contract(x, y, left, right)
  return args.contract(x, y, {{left, right}, {{}, {}}})
end

function lib.contract_stacks(x, y, left, right, stack_x, stack_y)
  return args.contract(x, y, {{left, right}, {stack_x, stack_y}})
end

function lib.sum_over(x, axes)
  local is_bool = core.dtype_of(x) == "bool"
  return (is_bool and lax.reduce_or or lax.reduce_sum)(x, axes)
end

function lib.terms(name, first, ...)
  local list = args.is_list(first) and args.copy(first) or {first, ...}
  list = args.promoted(name, list)
  for i, x in ipairs(list) do list[i] = args.array(x, name) end
  return list
end

-- Windows of y against x: row i of the matrix is x[i], x[i + 1], ...
local function windows(x, count, width)
  local index = {}
  for k = 0, width - 1 do
    index[k + 1] = lax.slice_in_dim(x, k, k + count, 1, 0)
  end
  return jnp.stack(index, 1)
end

-- The sums of products of y with each stretch of x, from `before` elements in
-- front of it to `after` behind. What has no partner there counts as 0, also
-- where it is infinite.
function lib.slide(x, y, before, after)
  local m, n = shape_of(x)[1], shape_of(y)[1]
  local rows = m + before + after - n + 1
  if before == 0 and after == 0 then return jnp.dot(windows(x, rows, n), y) end
  local t = core.dtype_of(x)
  local wide = (t == "f16" or t == "bf16") and "f32" or t
  local padded = lax.pad(x, core.literal(0.0, t), {{before, after, 0}})
  local at = windows(lax.iota("i32", {m + before + after}, 0), rows, n)
  local is_there = jnp.logical_and(jnp.greater_equal(at, before),
                                   jnp.less(at, before + m))
  local products = jnp.multiply(
    lax.convert_element_type(windows(padded, rows, n), wide),
    lax.convert_element_type(y, wide))
  local sums = jnp.sum(jnp.where(is_there, products, 0.0), {axis = 1})
  local is_weak = core.aval_of(x).weak and core.aval_of(y).weak
  return lax.convert_element_type(sums, t, is_weak)
end

function lib.without_front_zeros(p)
  local at = np.flatnonzero(args.known(p, "polymul", "coefficients that " ..
    "are traced have no zeros to trim"))
  if at.size == 0 then return lib.slice(p, 0, 0, 1) end
  return lib.slice(p, 0, at[0], shape_of(p)[1] - at[0])
end

function lib.coefficients(p, name) return args.as_float(args.array(p, name)) end

function lib.coefficients_and_place(p, x)
  return lib.operands("polyval", p, x)
end

function lib.points(name, x, y)
  x, y = args.array_or_table(x, name), args.array_or_table(y, name)
  return table.unpack((args.promoted(name, {x, y}, types.inexact)))
end

function lib.known_coefficients(name, p)
  p = np.atleast_1d(known(p, name))
  return p:astype("f64"), p.dtype == "f64" and "f64" or "f32"
end

lib.zeros_of = lib.zero_like
function lib.at(p, i) return lib.item(p, 0, i) end

function lib.no_coefficients(p) return lib.slice(p, 0, 0, 0) end

-- n, n - 1 ... 1
function lib.falling(_, n) return lax.rev(jnp.arange(1, n + 1), {0}) end

-- ---- Complex arrays ----

-- Pairs are branches of trees, so that functions of jax take and give them.
tree.register_node(getmetatable(np.complex(0, 0)))

function lib.absolute(x)
  x = args.value(x, "absolute")
  return core.dtype_of(x) == "bool" and args.done(x) or lax.abs(x)
end

function lib.given(z) return z end
function lib.zeros_beside(x) return jnp.zeros_like(x) end

-- As floats that a transform takes.
local function floats(name, x)
  x = args.array(x, "fft." .. name)
  local t = core.dtype_of(x)
  if types.is_float(t) and t ~= "f16" and t ~= "bf16" then return x end
  return lax.convert_element_type(x, config.float())
end

function lib.complex_parts(re, im)
  re = floats("complex", re)
  im = im == nil and lax.full_like(re, 0) or floats("complex", im)
  return re + 0 * im, im + 0 * re
end

function lib.fft_parts(name, z)
  if not np.iscomplexobj(z) then return floats(name, z) end
  return floats(name, z.real), floats(name, z.imag)
end

function lib.fft_result(x) return x end

function lib.fft(re, im, is_inverse)
  local out = prim.transform(is_inverse, re, im or lax.full_like(re, 0))
  return out[1], out[2]
end

function lib.rfft(re)
  local last = #shape_of(re) - 1
  local half = shape_of(re)[last + 1] // 2 + 1
  local a, b = lib.fft(re, nil, false)
  return lib.slice(a, last, 0, half), lib.slice(b, last, 0, half)
end

-- The half that is there, and its conjugates in reverse.
function lib.irfft(re, im, n)
  local last, rest = #shape_of(re) - 1, (n - 1) // 2
  -- Of results that are their own conjugates only the real part counts.
  local own = {}
  for k = 0, n // 2 do own[k + 1] = (k == 0 or 2 * k == n) and 0 or 1 end
  im = im * jnp.array(own, core.dtype_of(im))
  local function whole(x, sign)
    local tail = lax.slice_in_dim(x, 1, rest + 1, 1, last)
    return lax.concatenate({x, lax.rev(tail, {last}) * sign}, last)
  end
  return (lib.fft(whole(re, 1), whole(im, -1), true))
end

function lib.known_floats(x) return jnp.array(x:astype(config.float())) end

-- ---- Matrices ----

local function any_floats(name, x)
  x = args.array(x, "linalg." .. name)
  local t = core.dtype_of(x)
  if types.is_float(t) then return x end
  return lax.convert_element_type(x, types.inexact(t))
end

function lib.matrix_operand(name, x)
  x = any_floats(name, x)
  local t = core.dtype_of(x)
  if t == "f16" or t == "bf16" then
    args.fail("linalg." .. name, "ValueError",
              "arrays of type %s are not supported", t)
  end
  return x
end

function lib.as(x) return x end

function lib.of_one_type(a, _, b)
  local t = types.result_type{core.aval_of(a), core.aval_of(b)}
  return lax.convert_element_type(a, t), lax.convert_element_type(b, t)
end

lib.solve = function(a, b) return matrix.linear_solve(a, b) end
lib.det, lib.slogdet = matrix.det, matrix.slogdet

local function symmetric(a, symmetrizes)
  return symmetrizes and matrix.symmetric(a) or a
end

function lib.cholesky(a, upper, symmetrizes)
  local l = matrix.cholesky(symmetric(a, symmetrizes))
  return upper and jnp.swapaxes(l, -1, -2) or l
end

function lib.qr(a, mode)
  local q, r = matrix.qr(a, mode == "complete")
  if mode == "r" then return r end
  return q, r
end

function lib.singular_values(a) return (matrix.svd(a, false, false)) end

function lib.svd(a, full)
  local s, u, vt = matrix.svd(a, full)
  return u, s, vt
end

function lib.eigh(a, uplo, symmetrizes)
  local v, w = matrix.eigh(symmetric(a, symmetrizes), uplo == "L")
  return w, v
end

function lib.eigvalsh(a, uplo) return (lib.eigh(a, uplo, true)) end

-- Of general matrices: LAPACK's, for arrays that are known. The results are
-- complex pairs.
function lib.eig(name, a)
  if core.is_tracer(a) then
    core.fail("unsupported", "NotImplementedError", "linalg.%s: it computes " ..
              "known arrays alone, not under jit, vmap or grad; eigh, for " ..
              "symmetric matrices, is there", name)
  end
  local t = core.dtype_of(a)
  local function put(z)
    if type(z) ~= "table" then z = np.complex(z, np.zeros_like(z)) end
    return jnp.complex(jnp.array(z.real:astype(t)), jnp.array(z.imag:astype(t)))
  end
  local w, v = np.linalg.eig(np.asarray(a))
  return put(w), put(v)
end

function lib.eigvals(name, a) return (lib.eig(name, a)) end

function lib.lstsq(a, b, rcond)
  local s, u, vt = matrix.svd(a, false)
  local keep = jnp.greater(s, rcond * s[0])
  local by = jnp.where(keep, 1 / jnp.where(keep, s, 1.0), 0.0)
  local x = jnp.matmul(jnp.transpose(vt), jnp.expand_dims(by, 1) *
                       jnp.matmul(jnp.transpose(u), b))
  local off = b - jnp.matmul(a, x)
  return x, jnp.sum(off * off, 0), jnp.sum(keep), s
end

-- By the factors Q and R, whose derivatives need no distinct singular values.
function lib.fit(a, b)
  local q, r = jnp.linalg.qr(a)
  return jnp.linalg.solve(r, jnp.matmul(jnp.transpose(q), b))
end

function lib.zeros_found(re, im, t)
  return jnp.complex(arrays.device_put(re:astype(t)),
                     arrays.device_put((im or np.zeros_like(re)):astype(t)))
end

function lib.pinv_limit(m, n, t)
  local eps = t == "f32" and 1.1920928955078125e-07 or 2.220446049250313e-16
  return 10 * math.max(m, n) * eps
end

function lib.norm_operand(x) return any_floats("norm", x) end
function lib.as_float(r) return r end

-- ---- Evenly spaced numbers ----

local function check_count(name, n)
  if core.is_tracer(n) then
    args.fail(name, "ConcretizationTypeError",
              "the size of the result would " ..
              "depend on a traced value: give numbers, or make the " ..
              "argument " ..
              "static (static_argnums)")
  elseif type(n) ~= "number" then
    args.fail(name, "TypeError", "it takes numbers, not a %s", type(n))
  end
end

function lib.spaced(name, start, stop, num, has_end, with_step)
  local n = num or 50
  check_count(name, n)
  local a, t = args.together_float(name, args.pair(name, start, stop))
  local shape = args.broadcast_shapes(name, {shape_of(a[1]), shape_of(a[2])})
  local first, last = args.filled(a[1], shape), args.filled(a[2], shape)
  local pieces = has_end and n - 1 or n
  local dims = {}
  for d = 1, #shape do dims[d] = d end
  local wide = table.move(shape, 1, #shape, 2, {n})
  local function spread(x) return lax.broadcast_in_dim(x, wide, dims) end
  local k = lax.iota(t, wide, 0)
  local share = lax.div(k, core.literal(math.max(pieces, 1) + 0.0, t))
  local out = lax.add(lax.mul(spread(first),
                              lax.sub(core.literal(1.0, t), share)),
                      lax.mul(spread(last), share))
  if has_end and n > 1 then -- the last number is exact
    local is_last = lax.eq(k, core.literal(n - 1.0, t))
    out = lax.select_n(is_last, out, spread(last))
  end
  if not with_step then return out end
  return out, lax.div(lax.sub(first, last), core.literal(-pieces + 0.0, t))
end

function lib.geometric(start, stop, num, has_end)
  local sign = jnp.sign(args.as_float(args.value(start, "geomspace")))
  local x = lib.spaced("linspace", jnp.log(jnp.divide(start, sign)),
                       jnp.log(jnp.divide(stop, sign)), num, has_end)
  return jnp.multiply(jnp.exp(x), sign)
end

function lib.powers(x, n)
  local list = {}
  x = args.as_type(x, core.dtype_of(x))
  for k = 1, n do list[k] = jnp.power(x, k - 1) end
  return list
end

-- ---- A function for each line or element ----

function lib.map_lines(f, x, axis, ...)
  local rank, more = #shape_of(x), table.pack(...)
  local function of_line(line) return f(line, table.unpack(more, 1, more.n)) end
  for d = 1, rank - axis - 1 do -- the axes behind that one, then those before
    of_line = api.vmap(of_line, {in_axes = d, out_axes = -1})
  end
  for _ = 1, axis do of_line = api.vmap(of_line) end
  return of_line(x)
end

function lib.map_elements(f, list)
  for _ = 1, #shape_of(list[1]) do f = api.vmap(f) end
  return f(table.unpack(list))
end

for name, f in pairs(use("jnp/policy_stats")) do lib[name] = f end
use.np_core.share(lib)

return M
