-- SPDX-License-Identifier: Apache-2.0
-- What jnp gives to the functions that np and jnp share (../../array/): JAX's
-- words for mistakes, its types, and the primitives that they are made of. np's
-- is ../../np/policy.lua; ../../array/README.md says what each is.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local config = use("core/config")
local arrays = use("core/arrays")
local jnp, np = use.jnp, use.np
local M = {}
local lib = {xp = jnp}

local function shape_of(x) return core.shape_of(x) end

-- The first argument, or as many as `given`, stand by position; the others may
-- be named.
local function with_names(name, names, f, given)
  local rest = table.move(names, given + 1, #names, 1, {})
  local count = #rest
  local function spread(o)
    local list = {}
    for i, argument in ipairs(rest) do list[i] = o[argument] end
    return table.unpack(list, 1, count)
  end
  if given == 1 then
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

function lib.numbers(x, name)
  if core.is_tracer(x) then
    args.fail(name, "ConcretizationTypeError", "the size of the result " ..
              "would depend on a traced value: make `repeats` static")
  elseif type(x) == "userdata" then
    return np.ravel(np.asarray(x)):tolist()
  end
  return args.is_list(x) and args.copy(x) or {x}
end

lib.common_shape = args.broadcast_shapes

-- ---- Results ----

function lib.plain(x) return x end
function lib.fresh(x) return x end
function lib.known(x) return arrays.device_put(x) end

-- ---- Primitives ----

lib.transpose, lib.reshape = lax.transpose, lax.reshape
lib.insert_axes, lib.join = lax.expand_dims, lax.concatenate
lib.reverse, lib.spread = lax.rev, lax.broadcast_in_dim

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

function lib.take(x, axis, places)
  local at = #places == 0 and np.zeros(0, "i32") or np.array(places, "i32")
  return jnp.take(x, arrays.device_put(at), {axis = axis, mode = "clip"})
end

function lib.ramp(dtype, shape, axis)
  return lax.iota(args.dtype(dtype, "arange"), shape, axis)
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

use.np_core.share(lib)

return M
