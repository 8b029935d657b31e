-- SPDX-License-Identifier: Apache-2.0
-- jax.random: random numbers as functions of a key, bit for bit JAX's own
-- (jax_threefry_partitionable = True, its default).
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local keys = use("core/key")
local config = use("core/config")
local parts = use("random/parts")
local arrays = use("core/arrays")
local M = {}

local fail = parts.fail
local value, shape_from, dtype_from =
  parts.value, parts.shape_from, parts.dtype_from
local float_from, arguments, words_of =
  parts.float_from, parts.arguments, parts.words_of
local spread, together, check_shape =
  parts.spread, parts.together, parts.check_shape
local jitted, word, paired = parts.jitted, parts.word, parts.paired
local zero, hashed, bits_of = parts.zero, parts.hashed, parts.bits_of
local floats, uniform_of =
  parts.floats, parts.uniform_of
local between, below_one, SQRT2 = parts.between, parts.below_one, parts.SQRT2
local gumbel_of = parts.gumbel_of

-- ---- Keys ----

-- Only the low 32 bits of a seed count, unless there are 64-bit types.
local function seed_words(seed)
  if type(seed) == "number" then
    local n = math.tointeger(seed)
    if not n then
      fail("TypeError", "PRNG key seed must be an integer; got %s", seed)
    end
    local high = config.x64 and n >> 32 or 0
    return arrays.device_put(use.np.array({high, n & 0xffffffff}, "u32"))
  end
  if type(seed) ~= "userdata" and not core.is_tracer(seed) then
    fail("TypeError", "PRNG key seed must be an integer; got %s",
         core.kind_text(seed))
  end
  local x = value(seed)
  if not types.is_integer(core.dtype_of(x)) then
    fail("TypeError", "PRNG key seed must be an integer; got %s",
         core.aval_text(core.aval_of(x)))
  elseif #core.shape_of(x) > 0 then
    fail("TypeError", "PRNG key seed must be a scalar; got %s",
         core.aval_text(core.aval_of(x)))
  end
  local high = lax.full({}, 0, "u32")
  if core.dtype_of(x):find("64") then
    high = lax.convert_element_type(lax.shift_right_logical(x, 32), "u32")
  end
  return paired(high, lax.convert_element_type(x, "u32"))
end

-- The generator is threefry; keys of another are made by another.
local function check_impl(name, impl)
  if impl ~= nil and impl ~= "threefry2x32" then
    core.fail("unsupported", "NotImplementedError", "random.%s: impl = %s; " ..
              "there is \"threefry2x32\"", name, tostring(impl))
  end
end

--- A key from a seed.
function M.key(seed, impl)
  check_impl("key", impl)
  return keys.wrap(seed_words(seed))
end

--- A key as a plain array of two words: JAX's older form.
function M.PRNGKey(seed, impl)
  check_impl("PRNGKey", impl)
  return seed_words(seed)
end

--- The words of a key, or of an array of keys.
function M.key_data(key)
  return keys.is_key(key) and keys.words_of(key) or key
end

--- The key that has these words.
function M.wrap_key_data(words)
  words = value(words)
  local shape = core.shape_of(words)
  if core.dtype_of(words) ~= "u32" or shape[#shape] ~= 2 then
    fail("TypeError", "wrap_key_data takes u32[..., 2], not %s",
         core.aval_text(core.aval_of(words)))
  end
  return keys.wrap(words)
end

-- A result of the kind that the argument was.
local function like(key, words)
  return keys.is_key(key) and keys.wrap(words) or words
end

local split_words = jitted("_split", 1, function(words, shape)
  return paired(hashed(words, shape))
end)

--- `num` new keys (a number or a shape).
function M.split(key, num)
  local shape = shape_from("split", num or 2)
  return like(key, split_words(words_of("split", key), shape))
end

local fold = jitted("_fold_in", 2, function(words, data)
  return paired(lax.threefry2x32(word(words, 0), word(words, 1), zero, data))
end)

--- A new key from a key and an integer.
function M.fold_in(key, data)
  local words = words_of("fold_in", key)
  if math.type(data) == "integer" then
    data = core.literal(data & 0xffffffff, "u32")
  else
    data = value(data)
    if not types.is_integer(core.dtype_of(data)) or
       #core.shape_of(data) > 0 then
      fail("TypeError", "fold_in takes an integer, not %s",
           core.aval_text(core.aval_of(data)))
    end
    data = lax.convert_element_type(data, "u32")
  end
  return like(key, fold(words, data))
end

-- ---- Bits, and what is made of them directly ----

local widths = {u8 = 8, u16 = 16, u32 = 32, u64 = 64}

local random_bits = jitted("_random_bits", 1, bits_of)

--- Random bits as unsigned integers.
function M.bits(key, ...)
  local shape, dtype = arguments({"shape", "dtype"}, ...)
  dtype = dtype_from("bits", dtype, "uint", function(t)
    return widths[t] ~= nil
  end, "an unsigned int type")
  return random_bits(words_of("bits", key), widths[dtype],
                     shape_from("bits", shape))
end

local uniform = jitted("_uniform", 3, uniform_of)

--- Numbers in [minval, maxval), all equally likely.
function M.uniform(key, ...)
  local shape, dtype, low, high = arguments({"shape", "dtype", "minval",
                                             "maxval"}, ...)
  dtype, shape = float_from("uniform", dtype), shape_from("uniform", shape)
  low, high = value(low or 0.0), value(high or 1.0)
  check_shape("uniform", shape, low, high)
  return uniform(words_of("uniform", key), low, high, shape, dtype)
end

-- A distribution with a key and a shape alone: f(words, shape, dtype).
local function simple(name, f)
  local run = jitted("_" .. name, 1, f)
  M[name] = function(key, ...)
    local shape, dtype = arguments({"shape", "dtype"}, ...)
    return run(words_of(name, key), shape_from(name, shape),
               float_from(name, dtype))
  end
end

--- Normal numbers: mean 0, deviation 1.
simple("normal", function(words, shape, dtype)
  local u = between(words, -below_one(dtype), 1.0, shape, dtype)
  return lax.mul(SQRT2, lax.erf_inv(u))
end)

--- -log of uniform numbers: times between events that come once a second.
simple("exponential", function(words, shape, dtype)
  return lax.neg(lax.log1p(lax.neg(between(words, 0.0, 1.0, shape, dtype))))
end)

--- Gumbel numbers: the greatest of many.
simple("gumbel", gumbel_of)

simple("laplace", function(words, shape, dtype)
  local u = between(words, -below_one(dtype), 1.0, shape, dtype)
  return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))
end)

simple("logistic", function(words, shape, dtype)
  local u = between(words, floats[dtype].tiny, 1.0, shape, dtype)
  return lax.sub(lax.log(u), lax.log1p(lax.neg(u)))
end)

simple("cauchy", function(words, shape, dtype)
  local u = between(words, floats[dtype].eps, 1.0, shape, dtype)
  return lax.tan(lax.mul(math.pi, lax.sub(u, 0.5)))
end)

-- ---- Choices ----

local bernoulli = jitted("_bernoulli", 2, function(words, p, shape)
  local dtype = core.dtype_of(p)
  return lax.lt(between(words, 0.0, 1.0, shape, dtype), spread(p, shape))
end)

--- true with probability p.
function M.bernoulli(key, ...)
  local p, shape = arguments({"p", "shape"}, ...)
  p = value(p == nil and 0.5 or p)
  if not types.is_float(core.dtype_of(p)) then
    fail("TypeError", "bernoulli probability `p` must have a floating " ..
         "dtype, got %s", core.dtype_of(p))
  end
  shape = shape and shape_from("bernoulli", shape) or core.shape_of(p)
  check_shape("bernoulli", shape, p)
  return bernoulli(words_of("bernoulli", key), p, shape)
end

local rademacher = jitted("_rademacher", 1, function(words, shape, dtype)
  local u = between(words, 0.0, 1.0, shape, config.float())
  local is_up = lax.lt(u, 0.5)
  local x = lax.convert_element_type(is_up, dtype)
  return lax.sub(lax.mul(x, 2), 1)
end)

local function any_type() return true end

--- -1 or 1.
function M.rademacher(key, ...)
  local shape, dtype = arguments({"shape", "dtype"}, ...)
  dtype = dtype_from("rademacher", dtype, "int", any_type, "a number")
  return rademacher(words_of("rademacher", key),
                    shape_from("rademacher", shape), dtype)
end

-- The greatest as unsigned numbers, which math.ult compares.
local greatest = {i8 = 127, u8 = 255, i16 = 32767, u16 = 65535,
                  i32 = 2147483647, u32 = 4294967295,
                  i64 = math.maxinteger, u64 = -1}
local lowest = {i8 = -128, u8 = 0, i16 = -32768, u16 = 0, i32 = -2147483648,
                u32 = 0, i64 = math.mininteger, u64 = 0}

-- x as another type of integers; what does not fit becomes the nearest that
-- does.
local function clipped(x, dtype)
  local from = core.dtype_of(x)
  if lowest[from] < lowest[dtype] then x = lax.max(x, lowest[dtype]) end
  if math.ult(greatest[dtype], greatest[from]) then
    x = lax.min(x, greatest[dtype])
  end
  return lax.convert_element_type(x, dtype)
end

-- 2^width % span = (2^(width / 2) % span)^2 % span.
local function factor_of(span, width)
  local factor = lax.rem(lax.full_like(span, 1 << width // 2), span)
  return lax.rem(lax.mul(factor, factor), span)
end

-- Of twice as many bits as the type has, the rest by the number of values:
-- (high * 2^width + low) % span.
local randint = jitted("_randint", 3, function(words, low, high, shape, dtype)
  local width = tonumber(dtype:sub(2))
  local is_beyond
  if math.ult(greatest[dtype], greatest[core.dtype_of(high)]) then
    is_beyond = lax.gt(high, greatest[dtype])
  end
  low, high = together(clipped(low, dtype), clipped(high, dtype), shape)
  local pair = paired(hashed(words, {2}))
  local function bits(i)
    local own = lax.squeeze(lax.slice_in_dim(pair, i, i + 1, 1, 0), {0})
    return bits_of(own, width, shape)
  end
  local more, less = bits(0), bits(1)
  local span = lax.convert_element_type(lax.sub(high, low), "u" .. width)
  span = lax.select_n(lax.le(high, low), span, lax.full_like(span, 1))
  if is_beyond then
    local is_above = lax.gt(high, low)
    local is_all = lax["and"](spread(is_beyond, core.shape_of(is_above)),
                              is_above)
    span = lax.select_n(is_all, span, lax.add(span, 1))
  end
  local factor = spread(factor_of(span, width), shape)
  span = spread(span, shape)
  local offset = lax.add(lax.mul(lax.rem(more, span), factor),
                         lax.rem(less, span))
  offset = lax.convert_element_type(lax.rem(offset, span), dtype)
  return lax.add(spread(low, shape), offset)
end)

local function bound(name, x)
  if x == nil then fail("TypeError", "randint: %s is missing", name) end
  if math.type(x) == "float" then x = math.tointeger(x // 1) end
  if math.type(x) == "integer" then
    if config.x64 then return lax.full({}, x, "i64") end
    if x < lowest.i32 or x > greatest.u32 then
      fail("OverflowError", "randint: %s = %d does not fit 32 bits", name, x)
    end
    return lax.full({}, x, x > greatest.i32 and "u32" or "i32")
  end
  x = value(x)
  if not types.is_integer(core.dtype_of(x)) then
    x = lax.convert_element_type(x, config.int())
  end
  return x
end

--- Integers from minval up to, and without, maxval.
function M.randint(key, ...)
  local shape, low, high, dtype = arguments({"shape", "minval", "maxval",
                                             "dtype"}, ...)
  dtype = dtype_from("randint", dtype, "int", types.is_integer,
                     "an integer type")
  shape = shape_from("randint", shape)
  low, high = bound("minval", low), bound("maxval", high)
  check_shape("randint", shape, low, high)
  local own = dtype
  if dtype:find("8") or dtype:find("16") then -- drawn as 32 bits
    own = "i32"
    local function within(x, top)
      x = lax.convert_element_type(x, "i32")
      return lax.min(lax.max(x, lowest[dtype]), top)
    end
    low, high = within(low, greatest[dtype]), within(high, greatest[dtype] + 1)
  end
  local x = randint(words_of("randint", key), low, high, shape, own)
  return lax.convert_element_type(x, dtype)
end

use("random/distributions")(M)

return M
