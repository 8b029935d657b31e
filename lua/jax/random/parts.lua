-- SPDX-License-Identifier: Apache-2.0
-- What random.lua and distributions.lua share: their arguments, and the bits
-- and floats that all else is made of.
--
-- Element i of the bits for a key is threefry2x32(key, i): no element depends
-- on another, so that any of them is computed where it is needed.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local api = use("transforms/api")
local keys = use("core/key")
local config = use("core/config")
local arrays = use("core/arrays")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end
M.fail = fail

-- ---- Arguments ----

local function value(x) return arrays.as_value(x, "an argument") end

local function shape_from(name, shape)
  if shape == nil then return {} end
  if type(shape) == "number" then shape = {shape} end
  if type(shape) ~= "table" or getmetatable(shape) then
    fail("TypeError", "random.%s: a shape is a list of sizes, not %s", name,
         core.kind_text(shape))
  end
  local sizes = {}
  for i, given in ipairs(shape) do
    local n = math.tointeger(given)
    if not n or n < 0 then
      fail("TypeError", "random.%s: a shape is a list of sizes of at least " ..
           "0, not of %s", name, n and tostring(n) or core.kind_text(given))
    end
    sizes[i] = n
  end
  shape = sizes
  if core.size(shape) >= 1 << 32 then
    core.fail("unsupported", nil, "random.%s: 2^32 elements or more of one key",
              name)
  end
  return table.move(shape, 1, #shape, 1, {})
end

local function dtype_from(name, dtype, default, is_wanted, what)
  dtype = types.canonical(dtype or default)
  if not dtype or not is_wanted(dtype) then
    fail("ValueError", "dtype argument to `%s` must be %s, got %s", name, what,
         tostring(dtype))
  end
  return dtype
end

local function float_from(name, dtype)
  return dtype_from(name, dtype, "float", types.is_float, "a float type")
end

-- Options by name: a plain table with named fields, in the place of the first
-- argument that it gives or after the last.
local function arguments(names, ...)
  local given, out = table.pack(...), {}
  for i = 1, given.n do
    local x = given[i]
    local is_named = type(x) == "table" and not getmetatable(x) and
                     type(next(x)) == "string"
    if is_named then
      for name, v in pairs(x) do
        local known = false
        for k, own in ipairs(names) do
          if own == name then known, out[k] = true, v end
        end
        if not known then
          fail("TypeError", "there is no argument named %s, only %s", name,
               table.concat(names, ", "))
        end
      end
    else
      out[i] = x
    end
  end
  return table.unpack(out, 1, #names)
end

-- ---- Keys that are used twice ----

-- Who used a key, by its words (a tracer: by itself); for whom that is kept;
-- what was found: {name =, at =, other_name =, other_at =}.
local users, kept_for, reused
local MOST_KEYS <const>, MOST_FINDINGS <const> = 4096, 16

local function identity(words)
  if core.is_tracer(words) then return words end
  return table.concat(use.np.asarray(words):tolist(), " ")
end

-- A use by random.`name`; fold_in makes another key of one and leaves it good.
local function note_use(name, words)
  local asks = config.finds_reuse or reused
  if not asks or name == "fold_in" then return end
  if kept_for ~= asks then users, kept_for = {count = 0}, asks end
  local id, at = identity(words), use.where() or "?"
  local before = users[id]
  if not before and users.count < MOST_KEYS then
    users[id] = {name = name, at = at}
    users.count = users.count + 1
  elseif before and config.finds_reuse then
    core.fail("argument", "KeyReuseError", "random.%s: the key was used " ..
              "before, by random.%s at %s; split it and use each part once: " ..
              "keys = jax.random.split(key), then keys[0] and keys[1]", name,
              before.name, api.place(before.at))
  elseif before and #reused < MOST_FINDINGS then
    reused[#reused + 1] = {name = name, at = at, other_name = before.name,
                           other_at = before.at}
  end
end

--- From now on each second use of a key is noted in the list that this gives.
function M.watch_keys()
  reused = {}
  return reused
end

-- The words of a single key.
local function words_of(name, key)
  local words = keys.is_key(key) and keys.words_of(key)
  if not words and (core.is_tracer(key) or use.is_array(key)) then
    words = value(key)
    local shape = core.shape_of(words)
    if core.dtype_of(words) ~= "u32" or shape[#shape] ~= 2 then
      words = nil
    end
  end
  if not words then
    fail("TypeError", "random.%s: the first argument is a key, as " ..
         "jax.random.key(seed) makes it, not %s", name,
         use.is_array(key) and core.aval_text(core.aval_of(key)) or
         core.kind_text(key))
  end
  local shape = core.shape_of(words)
  if #shape > 1 then
    fail("ValueError", "random.%s accepts a single key, but was given a key " ..
         "array of shape %s: use jax.vmap for batching", name,
         core.shape_text(table.move(shape, 1, #shape - 1, 1, {})))
  end
  note_use(name, words)
  return words
end

-- The axes of a shape that those of x are.
local function trailing(x, shape)
  local axes, rank = {}, #core.shape_of(x)
  for d = 1, rank do axes[d] = #shape - rank + d - 1 end
  return axes
end

-- x stretched to a shape by its trailing axes. Numbers go with every shape.
local function spread(x, shape)
  local own = core.shape_of(x)
  if core.is_literal(x) or core.same_shape(own, shape) then return x end
  local dims, kept, squeezed = {}, {}, {}
  for d, n in ipairs(own) do
    local to = #shape - #own + d
    if n == 1 and shape[to] ~= 1 then
      squeezed[#squeezed + 1] = d - 1
    else
      dims[#dims + 1], kept[#kept + 1] = to - 1, n
    end
  end
  return lax.broadcast_in_dim(lax.squeeze(x, squeezed), shape, dims)
end

-- Two bounds that go together: as they are, or both of the shape.
local function together(a, b, shape)
  if core.same_shape(core.shape_of(a), core.shape_of(b)) then return a, b end
  return spread(a, shape), spread(b, shape)
end

-- Parameters of a distribution go with the shape.
local function check_shape(name, shape, ...)
  for _, x in ipairs{...} do
    local own = core.shape_of(x)
    local fits = #own <= #shape
    for d, n in ipairs(own) do
      fits = fits and (n == 1 or n == shape[#shape - #own + d])
    end
    if not fits then
      fail("ValueError", "%s parameter shapes must be broadcast-compatible " ..
           "with shape argument: got parameter shape %s, shape argument %s",
           name, core.shape_text(own), core.shape_text(shape))
    end
  end
end

local function as_type(x, dtype)
  if core.is_literal(x) then
    local v = x.value
    return core.literal(types.is_float(dtype) and v + 0.0 or v, dtype)
  end
  return lax.convert_element_type(x, dtype)
end

-- As one operation under JAX's name; arguments from `statics` on are not
-- traced.
local function jitted(name, statics, f)
  local numbers = {}
  local count = use.parameter_count(f) or statics + 8
  for i = statics, count - 1 do numbers[#numbers + 1] = i end
  return api.own_jit(f, {name = name, static_argnums = numbers})
end

-- ---- Bits ----

local function word(words, i)
  return lax.squeeze(lax.slice_in_dim(words, i, i + 1, 1, 0), {0})
end

-- (..., 2) of two equal arrays.
local function paired(a, b)
  local axis = #core.shape_of(a)
  return lax.concatenate({lax.expand_dims(a, {axis}),
                          lax.expand_dims(b, {axis})}, axis)
end

local zero = core.literal(0, "u32")

-- threefry of a key's words and the numbers of a shape's elements.
local function hashed(words, shape)
  local counts = lax.reshape(lax.iota("u32", {core.size(shape)}), shape)
  return lax.threefry2x32(word(words, 0), word(words, 1), zero, counts)
end

local function bits_of(words, width, shape)
  local a, b = hashed(words, shape)
  if width == 64 then
    a = lax.shift_left(lax.convert_element_type(a, "u64"), 32)
    return lax["or"](a, lax.convert_element_type(b, "u64"))
  end
  local both = lax.xor(a, b)
  return width == 32 and both or lax.convert_element_type(both, "u" .. width)
end

-- For each float type: how many random bits, by how many they are shifted to be
-- a mantissa, the bits of 1, the distance from 1 to the next number, and the
-- least normal number.
local floats = {
  f64 = {bits = 64, type = "u64", shift = 12, one = 0x3ff0000000000000,
         eps = 2.0^-52, tiny = 2.0^-1022},
  f32 = {bits = 32, type = "u32", shift = 9, one = 0x3f800000, eps = 2.0^-23,
         tiny = 2.0^-126},
  f16 = {bits = 16, type = "u16", shift = 6, one = 0x3c00, eps = 2.0^-10,
         tiny = 2.0^-14},
  bf16 = {bits = 8, type = "u16", shift = 1, one = 0x3f80, eps = 2.0^-7,
          tiny = 2.0^-126},
}

-- In [1, 2) by its bits, less 1, stretched to [low, high).
local function uniform_of(words, low, high, shape, dtype)
  local t = floats[dtype]
  local bits = lax.convert_element_type(bits_of(words, t.bits, shape), t.type)
  bits = lax["or"](lax.shift_right_logical(bits, t.shift), t.one)
  local x = lax.sub(lax.bitcast_convert_type(bits, dtype), 1.0)
  low, high = together(as_type(low, dtype), as_type(high, dtype), shape)
  local span = lax.sub(high, low)
  low = spread(low, shape)
  return lax.max(low, lax.add(lax.mul(x, spread(span, shape)), low))
end

local function literal(x) return core.literal(x, config.float(), true) end

local function between(words, low, high, shape, dtype)
  return uniform_of(words, literal(low), literal(high), shape, dtype)
end

-- The float below 1 is half as far away as the one above.
local function below_one(dtype) return 1 - floats[dtype].eps / 2 end

local SQRT2 = math.sqrt(2)

local function gumbel_of(words, shape, dtype)
  local u = between(words, floats[dtype].tiny, 1.0, shape, dtype)
  return lax.neg(lax.log(lax.neg(lax.log(u))))
end

for name, f in pairs{
  trailing = trailing, value = value, shape_from = shape_from,
  dtype_from = dtype_from, float_from = float_from, arguments = arguments,
  words_of = words_of, spread = spread, together = together,
  check_shape = check_shape, as_type = as_type, jitted = jitted, word = word,
  paired = paired, zero = zero, hashed = hashed, bits_of = bits_of,
  floats = floats, uniform_of = uniform_of, literal = literal,
  between = between, below_one = below_one, SQRT2 = SQRT2,
  gumbel_of = gumbel_of,
} do M[name] = f end

return M
