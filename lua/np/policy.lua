-- SPDX-License-Identifier: Apache-2.0
-- What np gives to the functions that np and jnp share (../array/): its words
-- for mistakes, its types, and the primitives that they are made of. jnp's is
-- ../jax/jnp/policy.lua; ../array/README.md says what each is.
local np, fail, method, core = ...
local part, gather = core.part, core.gather
local lib = {xp = np}

-- Of names {"a", "axis"}; without names the arguments stand as they come.
function lib.define(name, names, f)
  if names then core.define(np, name, names, f) else np[name] = f end
end

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
function lib.numbers(x) return np.ravel(np.asarray(x)):tolist() end

function lib.common_shape(name, shapes)
  return core.broadcast_shapes(shapes) or
         fail(name .. ": shapes do not broadcast: " .. core.shapes_text(shapes))
end

-- ---- Results ----

-- What has no axes is a number.
function lib.plain(x)
  if type(x) == "userdata" and x.ndim == 0 then return x:item() end
  return x
end

-- Memory of its own, where jnp's arrays never change.
function lib.fresh(x) return x:copy() end

-- An array that np computed.
function lib.known(x) return x end

-- ---- Primitives ----

lib.transpose, lib.reshape = np.transpose, np.reshape

local expand_one, squeeze_one = np.expand_dims, np.squeeze

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
function lib.item(x, axis, at) return squeeze_one(part(x, axis, at, 1), axis) end

function lib.reverse(x, axes)
  for _, d in ipairs(axes) do
    local n = x.shape[d + 1]
    x = part(x, d, math.max(n - 1, 0), n, -1)
  end
  return x
end

-- Arrays joined along an axis; of one type in jnp.
function lib.join(list, axis) return np.concatenate(list, axis) end

-- The items at these places, a list.
function lib.take(x, axis, places) return gather(x, axis, places) end

-- x stretched to a shape, its axes being these of it.
function lib.spread(x, shape, axes)
  local line, own = {}, x.shape
  for d = 1, #shape do line[d] = 1 end
  for d, at in ipairs(axes) do line[at + 1] = own[d] end
  return np.broadcast_to(x:reshape(line), shape)
end

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

function lib.zero_like(x) return np.zeros({1}, x.dtype) end

core.share(lib)

for _, name in ipairs{"swapaxes", "expand_dims", "squeeze", "diagonal",
                      "trace", "repeat", "repeat_"} do
  method(name)
end
