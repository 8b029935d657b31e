-- SPDX-License-Identifier: Apache-2.0
-- jax.random's distributions that have parameters, or are drawn by rejection.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local config = use("core/config")
local parts = use("random/parts")
local args = use("core/args")
local indexing = use("jnp/indexing")
local add_more = use("random/distributions_more")
local api = use("transforms/api")
local custom = use("transforms/custom")

local fail, value, as_type = parts.fail, parts.value, parts.as_type
local shape_from, float_from = parts.shape_from, parts.float_from
local arguments, words_of = parts.arguments, parts.words_of
local spread, jitted, between = parts.spread, parts.jitted, parts.between

local function jnp(name) return use.jnp[name] end

-- n new keys of one, each as its two words.
local function split(words, n)
  local pair, out = parts.paired(parts.hashed(words, {n})), {}
  for i = 0, n - 1 do
    out[i + 1] = lax.squeeze(lax.slice_in_dim(pair, i, i + 1, 1, 0), {0})
  end
  return out
end

local function uniform(words, shape, dtype)
  return between(words, 0.0, 1.0, shape, dtype)
end

local function normal(words, shape, dtype)
  local u = between(words, -parts.below_one(dtype), 1.0, shape, dtype)
  return lax.mul(parts.SQRT2, lax.erf_inv(u))
end

local function exponential(words, shape, dtype)
  return lax.neg(lax.log1p(lax.neg(uniform(words, shape, dtype))))
end

-- The shape asked for, or that in which the parameters meet.
local function shape_for(name, shape, ...)
  if shape ~= nil then
    shape = shape_from(name, shape)
  else
    local shapes = {}
    for i, x in ipairs{...} do shapes[i] = core.shape_of(x) end
    local all = args.broadcast_shapes(name, shapes)
    shape = table.move(all, 1, #all, 1, {})
  end
  parts.check_shape(name, shape, ...)
  return shape
end

-- ---- By rejection ----

-- Gamma numbers of one alpha, or their logarithms (Marsaglia and Tsang, "A
-- simple method for generating gamma variables", 2000).
local function gamma_one(words, alpha, dtype, is_log)
  local is_great = lax.ge(alpha, 1.0)
  local raised = lax.select_n(is_great, lax.add(alpha, 1.0), alpha)
  local d = lax.sub(raised, 1 / 3)
  local c = lax.div(1 / 3, lax.sqrt(d))
  local function constant(x) return core.literal(x, dtype) end
  local keys = split(words, 2)

  local function draw(carry)
    local three = split(carry[1], 3)
    local last = lax.while_loop(function(s) return lax.le(s[3], 0.0) end,
      function(s)
        local two = split(s[1], 2)
        local x = normal(two[2], {}, dtype)
        return {two[1], x, lax.add(lax.mul(x, c), 1.0)}
      end, {three[2], constant(0.0), constant(-1.0)})
    local x, v = last[2], last[3]
    return {three[1], lax.mul(x, x), lax.mul(lax.mul(v, v), v),
            uniform(three[3], {}, dtype)}
  end

  local function is_refused(carry)
    local x, v, u = carry[2], carry[3], carry[4]
    local squeeze = lax.sub(1.0, lax.mul(lax.mul(x, x), 0.0331))
    local bound = lax.add(lax.mul(x, 0.5),
                          lax.mul(d, lax.add(lax.sub(1.0, v), lax.log(v))))
    return lax["and"](lax.ge(u, squeeze), lax.ge(lax.log(u), bound))
  end

  local v = lax.while_loop(is_refused, draw, {
    keys[1], constant(0.0), constant(1.0), constant(2.0)})[3]
  if is_log then
    local log_u = lax.neg(exponential(keys[2], {}, dtype))
    local none = lax["or"](is_great, lax.eq(log_u, 0.0))
    local boost = lax.mul(log_u, lax.div(1.0, alpha))
    return lax.add(lax.add(lax.log(d), lax.log(v)),
                   lax.select_n(none, boost, constant(0.0)))
  end
  local u = lax.sub(1.0, uniform(keys[2], {}, dtype))
  local boost = lax.select_n(is_great, lax.pow(u, lax.div(1.0, alpha)),
                             constant(1.0))
  return lax.mul(lax.mul(d, v), boost)
end

-- They move with alpha as those of equal probability do.
local function gamma_tangent(t, x, alpha, is_log)
  if not is_log then return lax.mul(t, lax.random_gamma_grad(alpha, x)) end
  local size = lax.max(lax.exp(x), parts.floats[core.dtype_of(x)].tiny)
  return lax.mul(t, lax.div(lax.random_gamma_grad(alpha, size), size))
end

local function gamma_of(words, alpha, shape, dtype, is_log)
  local count = core.size(shape)
  alpha = lax.reshape(lax.broadcast_in_dim(alpha, shape,
                                           parts.trailing(alpha, shape)),
                      {count})
  local keys = parts.paired(parts.hashed(words, {count}))
  local draw = custom.custom_jvp(function(all, a)
    return api.vmap(function(key, one)
      return gamma_one(key, one, dtype, is_log)
    end)(all, a)
  end)
  draw.name = "random_gamma"
  draw:defjvps(nil, function(t, x, _, a)
    return gamma_tangent(t, x, a, is_log)
  end)
  return lax.reshape(draw(keys, alpha), shape)
end

local gamma = jitted("_gamma", 2, gamma_of)

-- Knuth's way, for small rates: how many uniform numbers can be multiplied
-- before the product is below exp(-rate).
local function poisson_few(words, rate, shape, dtype)
  local zero = lax.full(shape, 0, dtype)
  local none = lax.full(shape, 0.0, "f32")
  local bound = lax.neg(rate)
  local function more(carry) return lax.gt(carry[3], bound) end
  local last = lax.while_loop(function(carry)
    return jnp("any")(more(carry))
  end, function(carry)
    local two = split(carry[1], 2)
    local k = lax.select_n(more(carry), carry[2], lax.add(carry[2], 1))
    return {two[1], k, lax.add(carry[3], lax.log(uniform(two[2], shape,
                                                         "f32")))}
  end, {words, zero, none})
  return lax.sub(last[2], 1)
end

-- By transformed rejection, for great ones (Hormann, "The transformed rejection
-- method for generating Poisson random variables", 1993).
local function poisson_many(words, rate, shape, dtype)
  local log_rate = lax.log(rate)
  local b = 0.931 + 2.53 * lax.sqrt(rate)
  local a = -0.059 + 0.02483 * b
  local inverse = 1.1239 + 1.1328 / (b - 3.4)
  local v_r = 0.9277 - 3.6224 / (b - 2)
  local last = lax.while_loop(function(carry)
    return jnp("any")(lax["not"](carry[3]))
  end, function(carry)
    local three = split(carry[1], 3)
    local u = lax.sub(uniform(three[2], shape, "f32"), 0.5)
    local v = uniform(three[3], shape, "f32")
    local side = lax.sub(0.5, lax.abs(u))
    local k = lax.floor((2 * a / side + b) * u + rate + 0.43)
    local s = lax.log(v * inverse / (a / (side * side) + b))
    local t = k * log_rate - rate - lax.lgamma(k + 1)
    local at_once = lax["and"](lax.ge(side, 0.07), lax.le(v, v_r))
    local is_out = lax["or"](lax.lt(k, 0.0),
                             lax["and"](lax.lt(side, 0.013), lax.gt(v, side)))
    local is_in = lax["or"](at_once, lax["and"](lax["not"](is_out),
                                                lax.le(s, t)))
    return {three[1], lax.select_n(is_in, carry[2], k),
            lax["or"](carry[3], is_in)}
  end, {words, lax.full(shape, -1.0, "f32"), lax.full(shape, false, "bool")})
  return lax.convert_element_type(last[2], dtype)
end

local poisson = jitted("_poisson", 2, function(words, rate, shape, dtype)
  rate = spread(lax.stop_gradient(rate), shape)
  if #core.shape_of(rate) ~= #shape then
    rate = lax.full(shape, rate, "f32")
  end
  local is_few = lax["or"](lax.ne(rate, rate), lax.lt(rate, 10.0))
  local few = poisson_few(words, lax.select_n(is_few, lax.full_like(rate, 0.0),
                                              rate), shape, dtype)
  local many = poisson_many(words, lax.select_n(is_few, rate,
                                                lax.full_like(rate, 1e5)),
                            shape, dtype)
  local k = lax.select_n(is_few, many, few)
  return lax.select_n(lax.eq(rate, 0.0), k, lax.full_like(k, 0))
end)

-- ---- Orders ----

-- Sorted by random numbers, so often that it hardly matters that some of these
-- are equal: three times the logarithm of the size, in words of 32 bits.
local shuffle = jitted("_shuffle", 2, function(words, x, axis)
  local shape = core.shape_of(x)
  local size = math.max(1, core.size(shape))
  local rounds = math.ceil(3 * math.log(size) / math.log(0xffffffff))
  for _ = 1, rounds do
    local two = split(words, 2)
    words = two[1]
    local _, moved = lax.sort({parts.bits_of(two[2], 32, shape), x}, axis)
    x = moved
  end
  return x
end)

local function count_up(n) return lax.iota(config.int(), {n}, 0) end

-- The parts of x at these places of an axis, which have one axis.
local function taken(x, places, axis)
  x = indexing.get(lax.move_axis(x, axis, 0), places)
  return lax.move_axis(x, 0, axis)
end

-- An argument that is an array, or a number n: then 0 to n - 1.
local function population(name, x, axis)
  if math.type(x) == "integer" then
    if x < 0 then fail("ValueError", "random.%s: %d is below 0", name, x) end
    return count_up(x), 0, x
  end
  if type(x) == "number" or x == nil then
    fail("TypeError", "random.%s: x must be an integer or an array with axes",
         name)
  end
  x = value(x)
  local shape = core.shape_of(x)
  if #shape == 0 then
    fail("TypeError", "random.%s: x must be an integer or an array with " ..
         "axes, not %s", name, core.aval_text(core.aval_of(x)))
  elseif axis < -#shape or axis >= #shape then
    fail("ValueError", "random.%s: axis %d of %s", name, axis,
         core.aval_text(core.aval_of(x)))
  end
  return x, axis % #shape, shape[axis % #shape + 1]
end

local function permuted(words, x, axis, is_independent)
  if is_independent or #core.shape_of(x) == 1 then
    return shuffle(words, x, axis)
  end
  local n = core.shape_of(x)[axis + 1]
  return taken(x, shuffle(words, count_up(n), 0), axis)
end

-- Which of n, with probabilities p, drawn and put back.
local weighted = jitted("_choice", 2, function(words, p, n_draws)
  local sums = lax.cumsum(p, 0)
  local n = core.shape_of(p)[1]
  local total = lax.squeeze(lax.slice_in_dim(sums, n - 1, n, 1, 0), {0})
  local u = lax.sub(1.0, uniform(words, {n_draws}, core.dtype_of(p)))
  local r = lax.mul(spread(total, {n_draws}), u)
  local is_below = lax.lt(lax.broadcast_in_dim(sums, {n_draws, n}, {1}),
                          lax.broadcast_in_dim(r, {n_draws, n}, {0}))
  return lax.reduce_sum(lax.convert_element_type(is_below, config.int()), {1})
end)

local weighted_once = jitted("_choice", 2, function(words, p, n_draws)
  local g = parts.gumbel_of(words, core.shape_of(p), core.dtype_of(p))
  local _, places = lax.top_k(lax.add(g, lax.log(p)), n_draws)
  return lax.convert_element_type(places, config.int())
end)

local function weights(p, n)
  p = value(p)
  p = lax.convert_element_type(p, types.inexact(core.dtype_of(p)))
  local shape = core.shape_of(p)
  if #shape ~= 1 or shape[1] ~= n then
    fail("ValueError", "choice: p must be one number for each of the %d, " ..
         "and is %s", n, core.aval_text(core.aval_of(p)))
  end
  return p
end

-- ---- The functions ----

return function(M)
  parts.split, parts.normal, parts.uniform = split, normal, uniform
  parts.exponential, parts.shape_for = exponential, shape_for
  -- A distribution with parameters of these names, before shape and dtype:
  -- f(words, parameters..., shape, dtype).
  local function define(name, names, f, defaults)
    local all = table.move(names, 1, #names, 1, {})
    all[#all + 1], all[#all + 2] = "shape", "dtype"
    local run = jitted("_" .. name, #names + 1, f)
    M[name] = function(key, ...)
      local given = table.pack(arguments(all, ...))
      local dtype = float_from(name, given[#names + 2])
      local values = {}
      for i, what in ipairs(names) do
        if given[i] == nil then given[i] = defaults and defaults[i] end
        if given[i] == nil then
          fail("TypeError", "random.%s: %s is missing", name, what)
        end
        values[i] = as_type(value(given[i]), dtype)
      end
      local shape = shape_for(name, given[#names + 1], table.unpack(values))
      values[#names + 1], values[#names + 2] = shape, dtype
      return run(words_of(name, key), table.unpack(values))
    end
  end

  parts.define = define
  parts.gamma = gamma

  define("truncated_normal", {"lower", "upper"},
         function(words, lower, upper, shape, dtype)
    local a = lax.erf(lax.div(lower, parts.SQRT2))
    local b = lax.erf(lax.div(upper, parts.SQRT2))
    local u = parts.uniform_of(words, a, b, shape, dtype)
    local x = lax.mul(parts.SQRT2, lax.erf_inv(u))
    local function next_to(v, towards)
      v = lax.stop_gradient(v)
      return spread(lax.nextafter(v, lax.full_like(v, towards)), shape)
    end
    return lax.min(lax.max(x, next_to(lower, math.huge)),
                   next_to(upper, -math.huge))
  end)

  define("gamma", {"a"}, function(words, a, shape, dtype)
    return gamma(words, a, shape, dtype, false)
  end)
  define("loggamma", {"a"}, function(words, a, shape, dtype)
    return gamma(words, a, shape, dtype, true)
  end)
  define("beta", {"a", "b"}, function(words, a, b, shape, dtype)
    local two = split(words, 2)
    local x = gamma(two[1], a, shape, dtype, true)
    local y = gamma(two[2], b, shape, dtype, true)
    local most = lax.max(x, y)
    x, y = lax.exp(lax.sub(x, most)), lax.exp(lax.sub(y, most))
    return lax.div(x, lax.add(x, y))
  end)
  define("chisquare", {"df"}, function(words, df, shape, dtype)
    return lax.mul(lax.exp(gamma(words, lax.div(df, 2.0), shape, dtype, true)),
                   2.0)
  end)
  define("t", {"df"}, function(words, df, shape, dtype)
    local two, half = split(words, 2), lax.div(df, 2.0)
    local g = gamma(two[2], half, shape, dtype, false)
    return lax.mul(normal(two[1], shape, dtype),
                   lax.sqrt(lax.div(spread(half, shape), g)))
  end)
  define("pareto", {"b"}, function(words, b, shape, dtype)
    local e = exponential(words, shape, dtype)
    return lax.exp(lax.div(e, spread(b, shape)))
  end)

  --- How many events there are, of which `lam` are expected.
  function M.poisson(key, ...)
    local lam, shape, dtype = arguments({"lam", "shape", "dtype"}, ...)
    if lam == nil then fail("TypeError", "random.poisson: lam is missing") end
    dtype = parts.dtype_from("poisson", dtype, "int", types.is_integer,
                             "an integer type")
    lam = as_type(value(lam), "f32")
    shape = shape_for("poisson", shape, lam)
    local k = poisson(words_of("poisson", key), lam, shape,
                      dtype:find("64") and dtype or "i32")
    return lax.convert_element_type(k, dtype)
  end

  --- x, or 0 to x - 1, in a random order along an axis.
  function M.permutation(key, ...)
    local x, axis, is_independent = arguments({"x", "axis", "independent"}, ...)
    x, axis = population("permutation", x, axis or 0)
    return permuted(words_of("permutation", key), x, axis, is_independent)
  end

  --- Elements of a, or of 0 to a - 1, drawn at random.
  function M.choice(key, ...)
    local a, shape, replace, p, axis = arguments(
      {"a", "shape", "replace", "p", "axis"}, ...)
    local words = words_of("choice", key)
    local x, n
    x, axis, n = population("choice", a, axis or 0)
    shape = shape_from("choice", shape)
    local own, count = core.shape_of(x), core.size(shape)
    local out = table.move(own, 1, axis, 1, {})
    table.move(shape, 1, #shape, #out + 1, out)
    table.move(own, axis + 2, #own, #out + 1, out)
    if count == 0 then return lax.full(out, 0, core.dtype_of(x)) end
    if n == 0 then
      fail("ValueError", "choice: a must be greater than 0 unless no " ..
           "samples are taken")
    elseif replace == false and count > n then
      fail("ValueError", "Cannot take a larger sample (size %d) than " ..
           "population (size %d) when 'replace=False'", count, n)
    end
    if p == nil and replace == false then
      x = lax.slice_in_dim(permuted(words, x, axis), 0, count, 1, axis)
    else
      local places
      if p == nil then
        places = M.randint(key, {count}, 0, n)
      else
        local draw = replace == false and weighted_once or weighted
        places = draw(words, weights(p, n), count)
      end
      x = math.type(a) == "integer" and places or taken(x, places, axis)
    end
    return lax.reshape(x, out)
  end

  local categorical = jitted("_categorical", 2,
                             function(words, logits, axis, shape, prefix)
    local dtype = core.dtype_of(logits)
    local g = parts.gumbel_of(words, shape, dtype)
    local axes = {}
    for i = 1, prefix do axes[i] = i - 1 end
    local all = lax.expand_dims(logits, axes)
    return jnp("argmax")(lax.add(g, spread(all, shape)), axis)
  end)

  --- Numbers of categories with these logits.
  function M.categorical(key, ...)
    local logits, axis, shape = arguments({"logits", "axis", "shape"}, ...)
    if logits == nil then
      fail("TypeError", "random.categorical: logits is missing")
    end
    logits = value(logits)
    local own = core.shape_of(logits)
    axis = axis or -1
    if #own == 0 or axis < -#own or axis >= #own then
      fail("ValueError", "random.categorical: axis %d of logits, which are %s",
           axis, core.aval_text(core.aval_of(logits)))
    end
    if not types.is_float(core.dtype_of(logits)) then
      logits = lax.convert_element_type(logits,
                                        types.inexact(core.dtype_of(logits)))
    end
    axis = axis % #own
    local batch = table.move(own, 1, #own, 1, {})
    local n = table.remove(batch, axis + 1)
    shape = shape ~= nil and shape_from("categorical", shape) or batch
    local prefix = #shape - #batch
    for d, size in ipairs(batch) do
      if prefix < 0 or shape[prefix + d] ~= size then
        fail("ValueError", "categorical parameter shapes must be " ..
             "broadcast-compatible with shape argument: got parameter shape " ..
             "%s, shape argument %s", core.shape_text(batch),
             core.shape_text(shape))
      end
    end
    local full = table.move(shape, 1, #shape, 1, {})
    table.insert(full, prefix + axis + 1, n)
    return categorical(words_of("categorical", key), logits, prefix + axis,
                       full, prefix)
  end
  add_more(M)
end
