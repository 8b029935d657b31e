-- SPDX-License-Identifier: Apache-2.0
-- jax.random.binomial, with JAX's own bits: few expected successes by counting
-- the tries between them, many by transformed rejection (Hormann, "The
-- generation of binomial random variates", 1993).
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local args = use("core/args")
local parts = use("random/parts")
local jnp = use.jnp

local fail, value, as_type = parts.fail, parts.value, parts.as_type
local both, either, no = lax["and"], lax["or"], lax["not"]

-- Tries until the next success, again and again, until they exceed the count.
local function by_tries(words, count, p, shape)
  local t = core.dtype_of(p)
  local log_failure = lax.log1p(lax.neg(p))
  local none = lax.full(shape, 0, t)
  return lax.sub(lax.while_loop(function(carry)
    return jnp.any(lax.le(carry[2], count))
  end, function(carry)
    local two = parts.split(carry[3], 2)
    local is_within = lax.le(carry[2], count)
    local u = parts.uniform(two[1], shape, t)
    return {lax.select(is_within, lax.add(carry[1], 1), carry[1]),
            lax.add(carry[2], lax.ceil(lax.div(lax.log(u), log_failure))),
            two[2]}
  end, {none, none, words})[1], 1)
end

-- log(k!) less Stirling's formula.
local TAIL = {
  0.0810614667953272, 0.0413406959554092, 0.0276779256849983,
  0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
  0.0118967099458917, 0.0104112652619720, 0.00925546218271273,
  0.00833056343336287,
}

local function stirling_tail(k)
  local is_small = lax.le(k, 9)
  k = lax.clamp(0.0, k, 9.0)
  local square = (k + 1) * (k + 1)
  local far = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
  local near = jnp.take(jnp.array(TAIL, core.dtype_of(k)),
                        lax.convert_element_type(lax.floor(k), "i32"),
                        {mode = "clip"})
  return lax.select(is_small, near, far)
end

local function by_rejection(words, count, p, shape)
  local t = core.dtype_of(p)
  local deviation = lax.sqrt(count * p * (1 - p))
  local b = 1.15 + 2.53 * deviation
  local a = -0.0873 + 0.0248 * b + 0.01 * p
  local c = count * p + 0.5
  local v_r = 0.92 - 4.2 / b
  local r = p / (1 - p)
  local alpha = (2.83 + 5.1 / b) * deviation
  local m = lax.floor((count + 1) * p)
  return lax.while_loop(function(carry)
    return jnp.any(no(carry[2]))
  end, function(carry)
    local three = parts.split(carry[3], 3)
    local u = parts.uniform(three[2], shape, t) - 0.5
    local v = parts.uniform(three[3], shape, t)
    local side = 0.5 - lax.abs(u)
    local at_once = both(lax.ge(side, 0.07), lax.le(v, v_r))
    local k = lax.floor((2 * a / side + b) * u + c)
    local is_out = either(lax.lt(k, 0), lax.gt(k, count))
    v = lax.log(v * alpha / (a / (side * side) + b))
    local bound = (m + 0.5) * lax.log((m + 1) / (r * (count - m + 1))) +
      (count + 1) * lax.log((count - m + 1) / (count - k + 1)) +
      (k + 0.5) * lax.log(r * (count - k + 1) / (k + 1)) +
      stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) -
      stirling_tail(count - k)
    local is_in = either(at_once, both(no(is_out), lax.le(v, bound)))
    return {lax.select(is_in, k, carry[1]), either(carry[2], is_in), three[1]}
  end, {lax.full(shape, -1, t), lax.full(shape, false, "bool"), words})[1]
end

local function is_nan(x) return lax.ne(x, x) end

local binomial = parts.jitted("_binomial", 3,
                              function(words, n, p, shape, dtype)
  local t = core.dtype_of(p)
  n, p = args.filled(n, shape), args.filled(p, shape)
  local is_below_half = lax.lt(p, 0.5)
  local q = lax.select(is_below_half, p, lax.sub(1.0, p))
  local is_bad_n = either(is_nan(n), lax.lt(n, 0.0))
  local is_endless = lax.eq(lax.abs(n), math.huge)
  local is_nan_q = is_nan(q)
  local is_bad_q = either(is_nan_q, lax.lt(q, 0.0))
  q = lax.select(is_bad_q, lax.full(shape, 0.01, t), q)
  local is_few = either(is_bad_n, lax.le(lax.mul(n, q), 10.0))
  n = lax.floor(n)
  local function filled(x) return lax.full(shape, x, t) end
  local few = by_tries(words, lax.select(is_few, n, filled(0.0)), q, shape)
  local many = by_rejection(words, lax.select(is_few, filled(1e4), n),
                            lax.select(is_few, filled(0.5), q), shape)
  local k = lax.convert_element_type(lax.select(is_few, few, many), dtype)
  local is_bad = either(is_bad_q, is_bad_n)
  k = lax.select(is_bad, lax.full(shape, 0 / 0, dtype), k)
  k = lax.select(both(is_endless, no(is_bad)),
                 lax.full(shape, math.huge, dtype), k)
  local is_done = either(either(is_below_half, is_bad_n),
                         either(is_nan_q, is_endless))
  return lax.select(is_done, k,
                    lax.sub(lax.convert_element_type(n, dtype), k))
end)

-- Outcome after outcome, each among the tries that the ones before have left.
local multinomial = parts.jitted("_multinomial", 3,
                                 function(words, n, p, shape, dtype)
  local t, batch = core.dtype_of(p), table.move(shape, 1, #shape - 1, 1, {})
  n = args.filled(n, batch)
  p = lax.move_axis(args.filled(p, shape), #shape - 1, 0)
  local left = lax.cumsum(p, 0, true)
  local ratios = lax.div(p, lax.select(lax.eq(left, 0.0),
                                       lax.full_like(left, 1.0), left))
  local keys = parts.paired(parts.hashed(words, {shape[#shape]}))
  local _, counts = lax.scan(function(tries, step)
    local ratio = lax.clamp(0.0, step[1], 1.0)
    local count = binomial(step[2], tries, ratio, batch, t)
    return lax.sub(tries, count), count
  end, n, {ratios, keys})
  return lax.convert_element_type(lax.move_axis(counts, 0, #shape - 1), dtype)
end)

return function(M)
  --- How many of n tries have each outcome, whose probabilities p's last axis
  --- holds. A shape is that of the result.
  function M.multinomial(key, ...)
    local n, p, shape, dtype = parts.arguments({"n", "p", "shape", "dtype",
                                                "unroll"}, ...)
    for name, x in pairs{n = n or false, p = p or false} do
      if not x then
        fail("TypeError", "random.multinomial: %s is missing", name)
      end
    end
    n, p = value(n), args.array(value(p), "random.multinomial")
    local t = types.inexact((types.result_type{core.aval_of(n),
                                               core.aval_of(p)}))
    n, p = as_type(n, t), as_type(p, t)
    local own = core.shape_of(p)
    shape = shape == nil and table.move(own, 1, #own, 1, {}) or
            parts.shape_from("multinomial", shape)
    if #shape == 0 then
      fail("ValueError", "random.multinomial: p has at least one axis")
    end
    parts.check_shape("multinomial", shape, p)
    parts.check_shape("multinomial", table.move(shape, 1, #shape - 1, 1, {}),
                      n)
    return multinomial(parts.words_of("multinomial", key), n, p, shape,
                       parts.float_from("multinomial", dtype))
  end

  --- How many of n tries succeed, with probability p each.
  function M.binomial(key, ...)
    local n, p, shape, dtype = parts.arguments({"n", "p", "shape", "dtype"},
                                               ...)
    for name, x in pairs{n = n or false, p = p or false} do
      if not x then
        fail("TypeError", "random.binomial: %s is missing", name)
      end
    end
    dtype = parts.float_from("binomial", dtype)
    n, p = value(n), value(p)
    local t = types.inexact(core.dtype_of(p))
    n, p = as_type(n, t), as_type(p, t)
    shape = parts.shape_for("binomial", shape, n, p)
    return binomial(parts.words_of("binomial", key), n, p, shape, dtype)
  end
end
