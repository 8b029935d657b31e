-- SPDX-License-Identifier: Apache-2.0
-- jax.random's distributions that are made of others, with JAX's own bits.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local args = use("core/args")
local parts = use("random/parts")
local nn = use("extra/nn")
local add_binomial = use("random/distributions_binomial")
local jnp = use.jnp

local fail, value, as_type = parts.fail, parts.value, parts.as_type
local arguments, words_of = parts.arguments, parts.words_of
local spread, shape_from, float_from =
  parts.spread, parts.shape_from, parts.float_from

return function(M)
  local define, split = parts.define, parts.split
  local normal, uniform = parts.normal, parts.uniform
  local exponential, shape_for = parts.exponential, parts.shape_for

  define("lognormal", {"sigma"}, function(words, sigma, shape, dtype)
    return lax.exp(lax.mul(normal(words, shape, dtype), spread(sigma, shape)))
  end, {1.0})

  define("rayleigh", {"scale"}, function(words, scale, shape, dtype)
    local u = uniform(words, shape, dtype)
    return lax.mul(spread(scale, shape), lax.sqrt(lax.mul(lax.log(u), -2)))
  end)

  define("weibull_min", {"scale", "concentration"},
         function(words, scale, concentration, shape, dtype)
    local e = exponential(words, shape, dtype)
    return jnp.multiply(jnp.power(e, jnp.divide(1.0, concentration)), scale)
  end)

  define("triangular", {"left", "mode", "right"},
         function(words, left, mode, right, shape, dtype)
    left, mode, right = args.filled(left, shape), args.filled(mode, shape),
                        args.filled(right, shape)
    local u, width = uniform(words, shape, dtype), right - left
    local up = left + lax.sqrt(u * width * (mode - left))
    local down = right - lax.sqrt((1 - u) * width * (right - mode))
    return lax.select(lax.lt(u, (mode - left) / width), up, down)
  end)

  define("wald", {"mean"}, function(words, mean, shape, dtype)
    local two = split(words, 2)
    mean = args.filled(mean, shape)
    local v, z = normal(two[1], shape, dtype), uniform(two[2], shape, dtype)
    local y, square = lax.square(v), lax.square(mean)
    local root = lax.sqrt(4 * mean * y + square * lax.square(y))
    local x = mean + square * y / 2 - mean / 2 * root
    return lax.select(lax.le(z, mean / (mean + x)), x, square / x)
  end)

  local function maxwell(words, shape, dtype)
    local all = table.move(shape, 1, #shape, 1, {})
    all[#all + 1] = 3
    local v = normal(words, all, dtype)
    return lax.sqrt(lax.reduce_sum(lax.mul(v, v), {#shape}))
  end
  define("maxwell", {}, maxwell)

  define("double_sided_maxwell", {"loc", "scale"},
         function(words, loc, scale, shape, dtype)
    local two = split(words, 2)
    local x = lax.mul(M.rademacher(two[2], shape, dtype),
                      maxwell(two[1], shape, dtype))
    return lax.add(lax.mul(x, spread(scale, shape)), spread(loc, shape))
  end)

  define("generalized_normal", {"p"}, function(words, p, shape, dtype)
    local two = split(words, 2)
    local g = parts.gamma(two[1], lax.div(1.0, p), shape, dtype, false)
    return jnp.multiply(M.rademacher(two[2], shape, dtype),
                        jnp.power(g, jnp.divide(1, p)))
  end)

  define("f", {"dfnum", "dfden"}, function(words, dfnum, dfden, shape, dtype)
    local two = split(words, 2) -- the denominator's first
    local den = M.chisquare(two[1], dfden, shape, dtype)
    local num = M.chisquare(two[2], dfnum, shape, dtype)
    return lax.div(lax.div(num, spread(dfnum, shape)),
                   lax.div(den, spread(dfden, shape)))
  end)

  --- How often one tries until it succeeds, with probability p each time.
  function M.geometric(key, ...)
    local p, shape, dtype = arguments({"p", "shape", "dtype"}, ...)
    if p == nil then fail("TypeError", "random.geometric: p is missing") end
    dtype = parts.dtype_from("geometric", dtype, "int", types.is_integer,
                             "an integer type")
    p = value(p)
    local t = types.inexact(core.dtype_of(p))
    p = as_type(p, t)
    shape = shape_for("geometric", shape, p)
    local u = uniform(words_of("geometric", key), shape, t)
    u = jnp.where(jnp.equal(u, 0), 1, u)
    local tries = lax.floor(lax.div(lax.log(u), lax.log1p(lax.neg(
      args.filled(p, shape)))))
    return lax.convert_element_type(lax.add(tries, 1), dtype)
  end

  --- Probabilities that add up to 1, along the last axis.
  function M.dirichlet(key, ...)
    local alpha, shape, dtype = arguments({"alpha", "shape", "dtype"}, ...)
    dtype = float_from("dirichlet", dtype)
    alpha = args.array(as_type(value(alpha), dtype), "random.dirichlet")
    local own = core.shape_of(alpha)
    if #own < 1 then
      fail("ValueError", "random.dirichlet: alpha has at least one axis")
    end
    local n = #own
    shape = shape == nil and table.move(own, 1, n - 1, 1, {}) or
            shape_from("dirichlet", shape)
    shape[#shape + 1] = own[n]
    return nn.softmax(M.loggamma(key, alpha, shape, dtype), -1)
  end

  --- Vectors inside of the ball of the p-norm, in d dimensions.
  function M.ball(key, ...)
    local d, p, shape, dtype = arguments({"d", "p", "shape", "dtype"}, ...)
    dtype, shape = float_from("ball", dtype), shape_from("ball", shape)
    p = as_type(value(p or 2), dtype)
    local two = split(words_of("ball", key), 2)
    local all = table.move(shape, 1, #shape, 1, {})
    all[#all + 1] = d
    local g = M.generalized_normal(two[1], p, all, dtype)
    local e = exponential(two[2], shape, dtype)
    local size = jnp.sum(jnp.power(jnp.abs(g), p), -1) + e
    return g / jnp.expand_dims(jnp.power(size, jnp.divide(1, p)), -1)
  end

  --- Normal vectors with this mean and covariance. method: "cholesky", "eigh"
  --- or "svd".
  function M.multivariate_normal(key, ...)
    local name = "random.multivariate_normal"
    local mean, cov, shape, dtype, method = arguments(
      {"mean", "cov", "shape", "dtype", "method"}, ...)
    mean, cov = args.as_float(args.array(mean, name)),
                args.as_float(args.array(cov, name))
    dtype = float_from("multivariate_normal", dtype or core.dtype_of(mean))
    local m, c = core.shape_of(mean), core.shape_of(cov)
    local n = m[#m]
    if #m < 1 or #c < 2 or c[#c] ~= n or c[#c - 1] ~= n then
      fail("ValueError", "%s: a mean of shape %s and a covariance of shape %s",
           name, core.shape_text(m), core.shape_text(c))
    end
    local lead = args.broadcast_shapes(name, {
      table.move(m, 1, #m - 1, 1, {}), table.move(c, 1, #c - 2, 1, {})})
    shape = shape == nil and table.move(lead, 1, #lead, 1, {}) or
            shape_from("multivariate_normal", shape)
    local factor
    if method == nil or method == "cholesky" then
      factor = jnp.linalg.cholesky(cov)
    elseif method == "eigh" then
      local w, v = jnp.linalg.eigh(cov)
      factor = v * jnp.expand_dims(jnp.sqrt(w), -2)
    elseif method == "svd" then
      local u, s = jnp.linalg.svd(cov)
      factor = u * jnp.expand_dims(jnp.sqrt(s), -2)
    else
      fail("ValueError", "%s: method must be one of \"cholesky\", \"eigh\", " ..
           "\"svd\", not %s", name, tostring(method))
    end
    shape[#shape + 1] = n
    local z = normal(words_of("multivariate_normal", key), shape, dtype)
    return mean + jnp.squeeze(jnp.matmul(factor, jnp.expand_dims(z, -1)), -1)
  end

  --- Matrices with orthogonal columns, all equally likely.
  function M.orthogonal(key, ...)
    local n, shape, dtype, m = arguments({"n", "shape", "dtype", "m"}, ...)
    dtype, shape = float_from("orthogonal", dtype),
                   shape_from("orthogonal", shape)
    m = m or n
    shape[#shape + 1], shape[#shape + 2] = math.max(n, m), math.min(n, m)
    local q, r = jnp.linalg.qr(normal(words_of("orthogonal", key), shape,
                                      dtype))
    local d = jnp.diagonal(r, 0, -2, -1)
    local x = q * jnp.expand_dims(jnp.sign(d), -2)
    return n < m and jnp.swapaxes(x, -1, -2) or x
  end

  add_binomial(M)

  -- ---- Keys ----

  --- A key like this one.
  function M.clone(key) return key end
  function M.key_impl() return "fry" end
end
