-- SPDX-License-Identifier: Apache-2.0
-- What np gives to the functions that np and jnp share (../array/): its words
-- for mistakes, its types, and the primitives that they are made of. jnp's is
-- ../jax/jnp/policy.lua; ../array/README.md says what each is.
local np, fail, method, core = ...
local part, gather = core.part, core.gather
local expand_one, squeeze_one = np.expand_dims, np.squeeze
local lib = {xp = np}
core.lib = lib -- for the files of this room that add to it

-- Of names {"a", "axis"}; without names the arguments stand as they come.
function lib.define(name, names, f)
  if names then core.define(np, name, names, f) else np[name] = f end
end

np.fft, np.linalg = {}, {}

-- The same in a part: "fft".
function lib.define_in(name, ...)
  core.define_in_part(np[name], name, ...)
end

-- A function that writes into its first argument; jnp's give a new array.
function lib.define_writer(name, names, f) core.define(np, name, names, f) end

function lib.either(of_np) return of_np end

function lib.fail(name, _, text, ...)
  fail(name .. ": " .. text:format(...))
end

-- ---- Arguments ----

function lib.array(x) return np.asarray(x) end
function lib.array_or_table(x) return np.asarray(x) end

function lib.arrays(list, name) return core.list(np, name, list) end

function lib.axis(axis, ndim, name) return core.axis(name, axis, ndim) end

function lib.axes(axes, ndim, name)
  if axes == nil then
    axes = {}
    for d = 1, ndim do axes[d] = d - 1 end
    return axes
  end
  return core.axes(name, axes, ndim)
end

-- Sizes or counts as a list of whole numbers from 0 on; `words` say so.
function lib.sizes(x, name, words)
  if type(x) == "userdata" then x = np.ravel(x):tolist() end
  local out = {}
  for i, n in ipairs(type(x) == "number" and {x} or x) do
    if math.type(n) ~= "integer" or n < 0 then fail(name .. ": " .. words) end
    out[i] = n
  end
  return out
end

-- Numbers from an array, a list or a number.
function lib.numbers(x)
  if type(x) == "number" then return {x} end
  return np.ravel(np.asarray(x)):tolist()
end

function lib.common_shape(name, shapes)
  return core.broadcast_shapes(shapes) or
         fail(name .. ": shapes do not broadcast: " .. core.shapes_text(shapes))
end

-- Places to cut n items at, clamped as slices are.
function lib.cuts(places, n)
  for k, i in ipairs(places) do
    if i < 0 then i = i + n end
    places[k] = math.max(0, math.min(i, n))
  end
  return places
end

-- Places among n items, from 0 to `last`, from a number, a list, a mask or the
-- text of a slice.
function lib.places(name, at, n, last)
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
  for k, i in ipairs(out) do
    if math.type(i) ~= "integer" or i < -n or i > last then
      fail(("%s: index %s is out of bounds for an axis of size %d"):format(
        name, i, n))
    end
    out[k] = i < 0 and i + n or i
  end
  return out
end

-- A shape: what is wrong with it says who makes the array.
function lib.shape(x) return type(x) == "number" and {x} or x end

-- A number, or an array of what else is given.
function lib.value(x)
  return type(x) == "number" and x or np.asarray(x)
end

-- Values as an array of a type; what does not fit is an error.
function lib.of_dtype(x, dtype) return np.array(x, dtype) end

function lib.shape_of(x) return np.asarray(x).shape end

-- Arguments and the options of a last table.
function lib.with_options(_, _, ...)
  local list = {...}
  local last = list[#list]
  if type(last) == "table" and #last == 0 and next(last) then
    list[#list] = nil
    return list, last
  end
  return list, {}
end

function lib.condition(name, x, k)
  local c = np.asarray(x)
  if c.dtype ~= "bool" then
    fail(("%s: condition %d is of type %s and not bool"):format(name, k,
      c.dtype))
  end
  return c
end

-- Two arrays to compare: as NumPy does, in f64.
function lib.comparable(_, a, b)
  return np.asarray(a, "f64"), np.asarray(b, "f64")
end

-- ---- Elements that are known ----

-- Two arrays whose elements are looked at; what np made of them; places.
function lib.known_pair(_, a, b) return a, b end
function lib.known_places(x) return x end

-- A condition along one axis.
function lib.known_condition(name, condition)
  condition = np.asarray(condition, "bool")
  if condition.ndim ~= 1 then fail(name .. ": the condition has one axis") end
  return condition
end

function lib.take_at(x, places, axis) return np.take(x, places, axis) end

local function check_index(name, index, n)
  if np.any(np.logical_or(np.less(index, 0), np.greater_equal(index, n))) then
    fail(("%s: an index is out of bounds for size %d"):format(name, n))
  end
end

-- Numbers of elements, of so many.
function lib.flat_index(index, size)
  index = np.asarray(index)
  check_index("unravel_index", index, size)
  return index:astype("i64")
end

function lib.index_list(list, name) return core.list(np, name, list) end

-- Places along an axis of n.
function lib.place_within(name, i, n, mode)
  if mode == "wrap" then
    i = np.asarray(np.mod(i, n))
  elseif mode == "clip" then
    i = np.asarray(np.clip(i, 0, n - 1))
  else
    check_index(name, i, n)
  end
  return i:astype("i64")
end

-- Numbers of choices, of which there are n.
function lib.choice(a, n, mode)
  if mode == "clip" then return np.clip(a, 0, n - 1) end
  if mode == "wrap" then return np.mod(a, n) end
  if a.size > 0 and (np.min(a) < 0 or np.max(a) >= n) then
    fail(("choose: there are %d choices, and elements from %d to %d"):format(n,
      np.min(a), np.max(a)))
  end
  return a
end

-- The chosen ones as often as they were asked for.
function lib.shaped_as(r, a, n)
  return n == 1 and np.where(np.equal(a, 0), r, r) or r
end

-- Values, one after the other and again, at these places of all elements.
function lib.write(x, places, values) np.put(x, places, values) end

-- Whether bins ascend.
function lib.rising(bins)
  if bins.ndim ~= 1 then fail("digitize: the bins have one axis") end
  local steps = np.diff(bins)
  if not np.any(np.less(steps, 0)) then return true end
  if np.any(np.greater(steps, 0)) then
    fail("digitize: the bins must ascend or descend")
  end
  return false
end

-- ---- Types ----

function lib.is_float(x)
  if type(x) == "number" then return math.type(x) == "float" end
  return x.dtype:find("f", 1, true) ~= nil
end

function lib.int() return "i64" end
function lib.float() return "f64" end
lib.tri_type = lib.float

function lib.is_whole(dtype) return np.dtype(dtype):find("^[iu]%d") ~= nil end

-- Of a type's name, or an array.
function lib.type_of(_, x)
  if type(x) == "string" then return np.promote_types(x, x) end
  return np.asarray(x).dtype
end
lib.operand_type = lib.type_of

local weak_types = {"bool", "i64", "f64"}

-- The type in which types and numbers meet.
function lib.common_type(list)
  local t, weak
  for _, v in ipairs(list) do
    if type(v) == "string" then
      t = t and np.promote_types(t, v) or v
    else
      local kind = type(v) == "boolean" and 1 or math.type(v) == "integer" and
                   2 or 3
      weak = math.max(weak or 1, kind)
    end
  end
  if not t and not weak then
    fail("result_type: at least one array, dtype or number is needed")
  end
  if not t then return weak_types[weak] end
  local kind = t == "bool" and 1 or t:find("f", 1, true) and 3 or 2
  return (not weak or weak <= kind) and t or weak_types[weak]
end

function lib.is_scalar() return false end

-- An array and its weights, of which one at least is of floats.
function lib.weighed(a, w)
  if not lib.is_float(a) and not lib.is_float(w) then a = a:astype("f64") end
  return a:astype(np.result_type(a, w)), np.broadcast_to(w, a.shape)
end

function lib.strong_floats(x)
  return lib.is_float(x) and x or x:astype("f64")
end

function lib.both_floats(_, a, b) return a, np.asarray(b) end

-- A curve's points: y, and x or nil.
function lib.curve(_, y, x)
  return np.asarray(y), x ~= nil and np.asarray(x) or nil
end

-- What cov takes, in f64.
function lib.observations(m, y)
  return np.asarray(m, "f64"), y ~= nil and np.asarray(y, "f64") or nil
end

-- Weights of the observations: a list as long as there are, or nil.
function lib.observation_weights(w, what, n)
  if w == nil then return nil end
  w = np.asarray(w)
  if w.ndim ~= 1 or w.size ~= n or np.any(np.less(w, 0)) then
    fail(("cov: %s are %d numbers from 0 on"):format(what, n))
  end
  if what == "fweights" and lib.is_float(w) then
    fail("cov: fweights count observations, and must be whole numbers")
  end
  return w:astype("f64")
end

-- gradient's arguments: f as floats, the step along each axis, the axes. The
-- spacing is a number, the points along the axis, or a list of these.
function lib.spacings(f, spacing, axis, edge_order)
  f = lib.strong_floats(np.asarray(f))
  local axes = lib.axes(axis, f.ndim, "gradient")
  if type(spacing) == "table" and #axes == 1
      and type(spacing[1]) == "number" and #spacing > 1 then
    spacing = {spacing}
  end
  return f, function(i, d)
    local step = type(spacing) == "table" and spacing[i] or spacing or 1.0
    if type(step) == "number" then return step end
    step = np.asarray(step, "f64")
    if step.ndim ~= 1 or step.size ~= f.shape[d + 1] then
      fail(("gradient: axis %d has %d elements and %d points"):format(d,
        f.shape[d + 1], step.size))
    end
    return step
  end, axes, edge_order
end

-- ---- Results ----

-- Of a number a number.
function lib.like(x, r)
  return type(x) == "number" and type(r) == "userdata" and r:item() or r
end

-- What is as it was: another array here, the same in jnp.
function lib.unchanged(x)
  return type(x) == "userdata" and x:copy() or x
end

function lib.strong(x) return np.asarray(x) end
function lib.no() return false end

-- Several arrays: a table here, several values in jnp.
function lib.several(list) return list end

-- What has no axes is a number.
function lib.plain(x)
  if type(x) == "userdata" and x.ndim == 0 then return x:item() end
  return x
end

-- Memory of its own, where jnp's arrays never change.
function lib.fresh(x) return x:copy() end

-- Of this type; an array that is so already stays as it is.
function lib.cast(x, t) return x.dtype == t and x or x:astype(t) end

function lib.no_out() end

-- An array that np computed.
function lib.known(x) return x end

-- All as v, where x is.
function lib.full_like(x, v)
  return type(x) == "number" and v or np.full_like(x, v)
end

-- Of x's type, weak as x is, in jnp.
function lib.of_type(r) return r end

-- Where the extremes are, unless there is nothing but NaN.
function lib.found(name, at, none)
  if np.any(none) then
    fail(name .. ": there is nothing but NaN to choose from")
  end
  return at
end

-- ---- Primitives ----

function lib.is_known(x) return np.equal(x, x) end

-- The element of each line of the last axis at its own place.
function lib.item_of_each(x, places)
  local last = x.ndim - 1
  local at = expand_one(places:astype("i64"), last)
  return squeeze_one(np.take_along_axis(x, at, last), last)
end

-- Sums, and the largest elements or 0 where they are not finite, along axes.
function lib.sums(x, axes) return lib.reduced("sum", x, axes) end
function lib.finite_max(x, axes)
  local most = lib.reduced("max", x, axes)
  return np.where(np.isfinite(most), most, 0)
end

-- The variance where a mask holds, and its type.
local function variance(a, o)
  if not lib.is_float(a) then a = a:astype("f64") end
  local t = o.dtype or a.dtype
  a = a:astype(t == "f64" and "f64" or "f32")
  local mask = o.where or np.ones(a.shape, "bool")
  local mean = np.mean(a, {axis = o.axis, keepdims = true, where = mask})
  local off = np.where(mask, np.square(a - mean), 0)
  local options = {axis = o.axis, keepdims = o.keepdims}
  local n = np.maximum(np.asarray(np.sum(mask, options)) - (o.ddof or 0), 0)
  local r = np.asarray(np.sum(off, options))
  return np.where(np.equal(n, 0), np.nan, r / n:astype(r.dtype)), t
end

-- A mean, var or std of the elements where o.where holds.
function lib.masked(name, x, o)
  if name == "mean" then return np.mean(x, o) end
  local r, t = variance(x, o)
  return lib.plain((name == "std" and np.sqrt(r) or r):astype(t))
end

-- The area under y whose points are `dx` apart.
function lib.even_area(y, dx, axis)
  local n = math.max(y.shape[axis + 1] - 1, 0)
  local heights = lib.slice(y, axis, 1, n) + lib.slice(y, axis, 0, n)
  return np.multiply(0.5, np.sum(np.multiply(dx, heights), axis))
end

-- A reduction of this name, as an array, whose type a number would not have.
function lib.reduced(name, x, axis, keepdims)
  local r = np[name](x, {axis = axis, keepdims = true})
  if keepdims then return r end
  if axis then return np.squeeze(r, axis) end
  return r:reshape{}
end

lib.transpose, lib.reshape = np.transpose, np.reshape


-- One new axis; without one axis of size 1, or all of them.
lib.insert_axis, lib.drop_axis = expand_one, squeeze_one

-- New axes of size 1 at these places, which ascend.
function lib.insert_axes(x, axes)
  for _, d in ipairs(axes) do x = expand_one(x, d) end
  return x
end

-- Without these axes of size 1, which ascend.
function lib.drop_axes(x, axes)
  for i = #axes, 1, -1 do x = squeeze_one(x, axes[i]) end
  return x
end

-- `count` items along an axis, from the one at `from` on.
function lib.slice(x, axis, from, count)
  return part(x, axis, count > 0 and from or 0, count)
end

-- The one at `at`, without the axis.
function lib.item(x, axis, at)
  return squeeze_one(part(x, axis, at, 1), axis)
end

function lib.reverse(x, axes)
  for _, d in ipairs(axes) do
    local n = x.shape[d + 1]
    x = part(x, d, math.max(n - 1, 0), n, -1)
  end
  return x
end

-- Arrays joined along an axis; those of `join` are of one type in jnp.
lib.join = np.concatenate
function lib.concatenate(list, axis) return np.concatenate(list, axis) end

-- The order of keys' elements along an axis; the last key counts most.
function lib.order_by(keys, axis)
  local order
  for _, key in ipairs(keys) do
    if order then key = np.take_along_axis(key, order, axis) end
    local next_ = np.argsort(key, axis)
    order = order and np.take_along_axis(order, next_, axis) or next_
  end
  return order
end

-- The items at these places, a list.
function lib.take(x, axis, places) return gather(x, axis, places) end

-- The items at these places, an array on the host.
lib.pick = gather

-- An array with so many items before and after those of each axis: a value for
-- all of them, or a pair for each axis. Later axes cover the corners, as in
-- NumPy; each within the ones before.
function lib.pad_with(a, width, values)
  local shape = a.shape
  for d, w in ipairs(width) do shape[d] = shape[d] + w[1] + w[2] end
  local out = np.empty(shape, a.dtype)
  local is_one = type(values) ~= "table"
  if is_one then core.assign(out, np.asarray(values)) end
  local rest = out
  for d = #shape, 1, -1 do
    local n, w = shape[d], width[d]
    if not is_one then
      core.assign(part(rest, d - 1, 0, w[1]), np.asarray(values[d][1]))
      core.assign(part(rest, d - 1, w[2] > 0 and n - w[2] or 0, w[2]),
                  np.asarray(values[d][2]))
    end
    rest = part(rest, d - 1, w[1] < n and w[1] or 0, n - w[1] - w[2])
  end
  core.assign(rest, a)
  return out
end

-- Each item a few times, in fewer steps than by stretching a view; nil where
-- the copies' runs are too long for that to be faster.
function lib.repeat_few(x, axis, count)
  if count == 0 or count > 7 then return nil end
  local n = x.shape[axis + 1] * count
  return gather(x, axis, np.floor_divide(np.arange(n), count))
end

-- x stretched to a shape, its axes being these of it.
function lib.spread(x, shape, axes)
  local line, own = {}, x.shape
  for d = 1, #shape do line[d] = 1 end
  for d, at in ipairs(axes) do line[at + 1] = own[d] end
  return np.broadcast_to(x:reshape(line), shape)
end

-- x stretched to a shape, by trailing axes.
function lib.stretch(x, shape) return np.broadcast_to(x, shape) end

-- The index along an axis, as an array of this shape.
function lib.ramp(dtype, shape, axis)
  return lib.spread(np.arange(shape[axis + 1], dtype), shape, {axis})
end

-- Diagonal k of two axes, as the last one.
function lib.diagonal(x, k, a, b)
  local along = k >= 0 and b or a
  local n = x.shape[along + 1]
  local from = math.min(math.abs(k), n)
  return core.diagonal(part(x, along, from < n and from or 0, n - from), a, b)
end

-- A matrix with v on diagonal k, 0 elsewhere.
function lib.from_diagonal(v, k)
  local n = v.size + math.abs(k)
  local out = np.zeros({n, n}, v.dtype)
  core.assign(lib.diagonal(out, k, 0, 1), v)
  return out
end

-- Ones on diagonal k of a matrix.
function lib.ones_on(shape, k, dtype)
  local out = np.zeros(shape, dtype or "f64")
  core.assign(lib.diagonal(out, k, 0, 1), np.asarray(1))
  return out
end

-- true where the index of the last axis is at most that of the one before, plus
-- k, in a matrix.
function lib.lower(shape, k)
  local rows, columns = shape[#shape - 1] or shape[1], shape[#shape]
  return np.greater_equal(np.arange(rows):reshape(rows, 1),
                          np.arange(-k, columns - k))
end

lib.select = np.where

function lib.round_whole(x, decimals)
  local scale = 10.0 ^ -decimals
  local r = np.multiply(np.rint(np.divide(x, scale)), scale)
  return type(x) == "number" and math.tointeger(r) or r:astype(x.dtype)
end

function lib.round_at(x, decimals)
  local scale = 10.0 ^ math.abs(decimals)
  local r
  if decimals > 0 then
    r = np.divide(np.rint(np.multiply(x, scale)), scale)
    r = np.where(np.isfinite(r), r, x) -- what overflows has no digits there
  else
    r = np.multiply(np.rint(np.divide(x, scale)), scale)
  end
  return lib.like(x, r)
end

lib.clip = core.clip

-- The limits of a clip; a whole number beyond all that an integer array holds
-- is none.
function lib.bounds(x, min, max)
  if type(x) ~= "userdata" or not x.dtype:find("^[iu]") then return min, max end
  local info = np.iinfo(x.dtype)
  if math.type(min) == "integer" and min <= info.min then min = nil end
  if math.type(max) == "integer" and max >= info.max then max = nil end
  return min, max
end

-- In which order a value and its limit are compared: of equals (0.0 and -0.0)
-- one is taken.
function lib.in_order(x, limit) return x, limit end

-- ---- Products ----

lib.dot_lines = core.dot_lines -- of arrays with one axis, in one call

-- Two arrays; of one type in jnp.
function lib.operands(_, x, y) return np.asarray(x), np.asarray(y) end

function lib.float_operands(_, x, y)
  return np.atleast_1d(x), np.atleast_1d(y)
end

-- A result of the type in which a's and b's meet.
function lib.of_types(r, a, b)
  return r:astype(np.promote_types(a.dtype, b.dtype))
end

local function append(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- The axes of x but these, and the sizes of those and of these.
local function rest(x, axes)
  local is_used, free, sizes, used = {}, {}, {}, {}
  local shape = x.shape
  for i, d in ipairs(axes) do is_used[d], used[i] = true, shape[d + 1] end
  for d = 0, #shape - 1 do
    if not is_used[d] then
      free[#free + 1], sizes[#sizes + 1] = d, shape[d + 1]
    end
  end
  return free, sizes, core.size(used)
end

-- Of matrices and lines, summed over one axis: as np.matmul takes them. Else
-- nil.
local function plain_product(a, b, ca, cb)
  local m, n = a.ndim, b.ndim
  if m > 2 or n > 2 or #ca ~= 1 then return nil end
  return np.matmul(ca[1] == m - 1 and a or np.transpose(a),
                   cb[1] == math.max(n - 2, 0) and b or np.transpose(b))
end

-- Sums over the axes `ca` of a and `cb` of b, those of the result being what
-- is left of a, then of b.
function lib.contract(a, b, ca, cb)
  local product = plain_product(a, b, ca, cb)
  if product ~= nil then return product end
  local fa, na, k = rest(a, ca)
  local fb, nb = rest(b, cb)
  local x = np.transpose(a, append(fa, ca)):reshape({core.size(na), k})
  local y = np.transpose(b, append(cb, fb)):reshape({k, core.size(nb)})
  return lib.plain(np.matmul(x, y):reshape(append(na, nb)))
end

-- The same of arrays of one type, for each place on the axes `sa` and `sb`,
-- which come first in the result: an array always.
function lib.contract_stacks(a, b, ca, cb, sa, sb)
  local r = #sa == 0 and plain_product(a, b, ca, cb)
  if r then return type(r) == "userdata" and r or np.array(r, a.dtype) end
  local fa, na = rest(a, append(sa, ca))
  local fb, nb = rest(b, append(sb, cb))
  local shape, stack, inner = a.shape, {}, 1
  for i, d in ipairs(sa) do stack[i] = shape[d + 1] end
  for _, d in ipairs(ca) do inner = inner * shape[d + 1] end
  local s, m, n = core.size(stack), core.size(na), core.size(nb)
  local x = np.transpose(a, append(append(sa, fa), ca)):reshape(s, m, inner)
  local y = np.transpose(b, append(append(sb, cb), fb)):reshape(s, inner, n)
  r = #ca == 0 and np.multiply(x, y) or np.matmul(x, y)
  return r:reshape(append(append(stack, na), nb))
end

function lib.sum_over(x, axes) return np.asarray(np.sum(x, axes)) end

-- The arrays of einsum, in the type where all meet: products of some may not
-- fit their own. {optimize = ...} says nothing: the order is always chosen.
function lib.terms(_, ...)
  local arrays, t = {...}, nil
  local last = arrays[#arrays]
  if type(last) == "table" and #last == 0 and next(last) then
    arrays[#arrays] = nil
  end
  for i, a in ipairs(arrays) do
    arrays[i] = np.asarray(a)
    t = t and np.promote_types(t, arrays[i].dtype) or arrays[i].dtype
  end
  for i, a in ipairs(arrays) do arrays[i] = lib.cast(a, t) end
  return arrays
end

lib.slide = core.slide -- sums of products of y with each stretch of x

-- ---- Polynomials ----

function lib.without_front_zeros(p)
  local at = np.flatnonzero(p)
  return at.size == 0 and p[":1"] or p[("%d:"):format(at[0])]
end

function lib.coefficients(p) return np.asarray(p) end

function lib.coefficients_and_place(p, x)
  return np.asarray(p), type(x) == "table" and np.asarray(x) or x
end

function lib.at(p, i) return p[i] end

function lib.zeros_of(x) return np.multiply(x, 0) end

function lib.no_coefficients(p)
  return np.zeros(0, lib.is_float(p) and p.dtype or "i64")
end

-- Points to fit, in f64.
function lib.points(_, x, y)
  return np.asarray(x, "f64"), np.asarray(y, "f64")
end

-- Coefficients in f64, and their type.
function lib.known_coefficients(_, p)
  p = np.atleast_1d(np.asarray(p))
  return p:astype("f64"), p.dtype
end

-- n, n - 1 ... 1, as floats where p has those.
function lib.falling(p, n)
  return np.arange(n, 0, -1):astype(lib.is_float(p) and p.dtype or "i64")
end

-- ---- Complex arrays ----

lib.absolute = np.absolute

function lib.given(z) return type(z) == "number" and z or np.asarray(z) end

function lib.zeros_beside(x)
  return type(x) == "number" and 0.0 or np.zeros_like(x)
end

-- Both as floats, of one shape.
function lib.complex_parts(re, im)
  im = im == nil and 0.0 or im
  if type(re) == "number" and type(im) == "number" then
    return re + 0.0, im + 0.0
  end
  re, im = np.broadcast_arrays(re, im)
  local t = np.promote_types(np.promote_types(re.dtype, im.dtype), "f32")
  if re.dtype == "i64" or re.dtype == "f64" or im.dtype == "f64" then
    t = "f64"
  end
  return re:astype(t), im:astype(t)
end

local fftw = core.fft

-- The parts, the second of a real array nil, and the results' type: f32 stays
-- f32, all else is f64.
function lib.fft_parts(_, z)
  local re, im
  if core.is_complex(z) then
    re, im = np.asarray(z.real), np.asarray(z.imag)
  else
    re = np.asarray(type(z) == "table" and core.parts(z) or z)
  end
  return re, im, re.dtype == "f32" and "f32" or "f64"
end

function lib.fft_result(x, t) return t == "f32" and x:astype("f32") or x end

-- Of the last axis; the second part may be nil.
function lib.fft(re, im, is_inverse)
  if is_inverse and im then
    local b, a = fftw.forward(im, re)
    return a, b
  end
  local a, b = fftw.forward(re, im)
  return a, is_inverse and -b or b
end
lib.rfft, lib.irfft = fftw.real, fftw.inverse_real

function lib.known_floats(x) return x end

-- ---- Matrices: LAPACK computes in f64 ----

local lapack = core.lapack

-- An array, and its results' type: f32 are rounded from f64.
function lib.matrix_operand(name, a)
  a = np.asarray(a)
  local t = a.dtype
  if t == "f16" or t == "bf16" then
    fail(("linalg.%s: arrays of type %s are not supported: "
          .. "x:astype(\"f32\")"):format(name, t))
  end
  return a, t == "f32" and "f32" or "f64"
end

function lib.as(x, t) return t == "f32" and x:astype("f32") or x end

function lib.of_one_type(a, t, b, u)
  return a, b, t == "f32" and u == "f32" and "f32" or "f64"
end

lib.solve, lib.det, lib.slogdet = lapack.solve, lapack.det, lapack.slogdet
lib.qr = lapack.qr

function lib.cholesky(a, upper) return lapack.cholesky(a, upper) end

function lib.singular_values(a) return lapack.svd(a, false, false) end
function lib.svd(a, full) return lapack.svd(a, full, true) end
function lib.eigh(a, uplo) return lapack.eigh(a, uplo, true) end
function lib.eigvalsh(a, uplo) return lapack.eigh(a, uplo, false) end

-- Real where no imaginary part is left, as in NumPy.
local function real_or_complex(re, im, is_real, t)
  if is_real then return lib.as(re, t) end
  return core.complex(lib.as(re, t), lib.as(im, t))
end

function lib.zeros_found(re, im, t)
  return real_or_complex(re, im, not im, t)
end

function lib.eig(_, a, t)
  local re, im, vr, vi = lapack.eig(a, true)
  local is_real = not np.any(np.not_equal(im, 0))
  return real_or_complex(re, im, is_real, t),
         real_or_complex(vr, vi, is_real, t)
end

function lib.eigvals(_, a, t)
  local re, im = lapack.eig(a, false)
  return real_or_complex(re, im, not np.any(np.not_equal(im, 0)), t)
end

-- Least squares for each column of b: what the solution leaves is in the rows
-- behind it, and counts where the matrix has its full rank.
function lib.lstsq(a, b, rcond)
  local m, n = a.shape[1], a.shape[2]
  local all, rank, s = lapack.lstsq(a, b, rcond)
  local residuals = rank == n and m > n and
                    np.sum(np.square(part(all, 0, n, m - n)), 0)
  return part(all, 0, 0, n), residuals or np.zeros(0), rank, s
end

function lib.fit(a, b, rcond) return np.linalg.lstsq(a, b, rcond) end

-- Singular values below this part of the greatest count as 0.
function lib.pinv_limit() return 1e-15 end

function lib.norm_operand(x) return lib.strong_floats(np.asarray(x)) end

function lib.as_float(r)
  r = lib.plain(r)
  return type(r) == "number" and r + 0.0 or r
end

-- ---- Evenly spaced numbers ----

-- Points, the step, both in f64; the axis of points first. What the step is too
-- small for is made of the whole width.
local function spaced(name, start, stop, num, has_end)
  if math.type(num) ~= "integer" or num < 0 then
    fail(("%s: %s points"):format(name, num))
  end
  start, stop = np.asarray(start, "f64"), np.asarray(stop, "f64")
  local gaps = has_end and num - 1 or num
  local delta = np.asarray(stop - start)
  local line = {num}
  for _ = 1, delta.ndim do line[#line + 1] = 1 end
  local at = np.arange(num, "f64"):reshape(line)
  if gaps <= 0 then
    return np.add(np.multiply(at, delta), start), np.asarray(np.nan) * 1
  end
  local step = np.asarray(delta / gaps)
  local out = np.add(np.multiply(at, step), start)
  if np.any(np.equal(step, 0)) and not np.all(np.equal(delta, 0)) then
    out = np.add(np.multiply(at / gaps, delta), start)
  end
  if has_end and num > 1 then core.assign(part(out, 0, num - 1, 1), stop) end
  return out, lib.plain(step)
end

local line = np.linspace -- of two numbers, both ends included

-- Where its step is a number, and not so small that it is 0.
local function is_line(start, stop, num)
  if type(start) ~= "number" or type(stop) ~= "number" then return false end
  return math.type(num) == "integer" and num > 1
    and ((stop + 0.0 - start) / (num - 1) ~= 0 or start == stop)
end

function lib.spaced(name, start, stop, num, has_end, with_step)
  num = num == nil and 50 or num
  if name == "linspace" and has_end and not with_step and
     is_line(start, stop, num) then
    return line(start, stop, num)
  end
  return spaced(name, start, stop, num, has_end)
end

-- Points whose quotients are equal; the ends are exact.
function lib.geometric(start, stop, num, has_end)
  start, stop = np.asarray(start, "f64"), np.asarray(stop, "f64")
  if np.any(np.equal(start, 0)) or np.any(np.equal(stop, 0)) then
    fail("geomspace: the sequence cannot contain 0")
  end
  if np.any(np.less(np.multiply(start, stop), 0)) then
    fail("geomspace: start and stop must have one sign")
  end
  local sign = np.sign(start)
  start, stop = np.asarray(start * sign), np.asarray(stop * sign)
  local out = lib.spaced("geomspace", np.log10(start), np.log10(stop), num,
                         has_end)
  out = np.power(10.0, out)
  local n = out.shape[1]
  if n > 0 then core.assign(part(out, 0, 0, 1), start) end
  if n > 1 and has_end then core.assign(part(out, 0, n - 1, 1), stop) end
  return np.multiply(out, sign)
end

-- x^0, x^1 ... as n arrays.
function lib.powers(x, n)
  local list, dtype = {}, np.promote_types(x.dtype, "i64")
  for k = 1, n do
    list[k] = k == 1 and np.ones(x.size, dtype) or list[k - 1] * x
  end
  return list
end

-- ---- Calling a function for each line or element ----

-- One result after the other, stacked; their axes take the place of the line's.
function lib.map_lines(f, a, axis, ...)
  local lines = np.moveaxis(a, axis, -1)
  local shape = lines.shape
  local n = table.remove(shape)
  lines = lines:reshape(-1, n)
  local results = {}
  for i = 0, lines.shape[1] - 1 do
    local r = f(lines[i], ...)
    -- A float made of floats is of their type: numbers have none.
    local is_own = math.type(r) == "float" and a.dtype:find("f", 1, true)
    results[i + 1] = np.asarray(r, is_own and a.dtype or nil)
  end
  if #results == 0 then
    fail("apply_along_axis: there is no line to call the function for")
  end
  local own = results[1].shape
  local out = np.stack(results)
  local whole = table.move(own, 1, #own, #shape + 1,
                           table.move(shape, 1, #shape, 1, {}))
  out = out:reshape(whole)
  for d = 1, #own do
    out = np.moveaxis(out, #shape + d - 1, axis + d - 1)
  end
  return lib.plain(out)
end

-- Called in Lua for each element: convenient, not fast.
function lib.map_elements(f, arrays, dtype)
  local shape, flat, out, args = arrays[1].shape, {}, {}, {}
  for i, a in ipairs(arrays) do flat[i] = np.ravel(a) end
  for k = 0, flat[1].size - 1 do
    for i = 1, #flat do args[i] = flat[i][k] end
    out[k + 1] = f(table.unpack(args, 1, #flat))
  end
  return lib.plain(np.array(out, dtype):reshape(shape))
end

function lib.zero_like(x) return np.zeros({1}, x.dtype) end

core.share(lib)

for _, name in ipairs{"swapaxes", "expand_dims", "squeeze", "diagonal",
                      "trace", "repeat", "repeat_", "round", "clip", "ptp",
                      "dot", "choose", "compress"} do
  method(name)
end
