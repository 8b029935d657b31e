-- SPDX-License-Identifier: Apache-2.0
-- jnp: functions of SciPy's special that np has too, and numbers taken apart.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

local function floats(x, name) return args.as_float(args.value(x, name)) end

for name, prim in pairs{erf = "erf", erfc = "erfc", erfinv = "erf_inv",
                        lgamma = "lgamma", digamma = "digamma",
                        expit = "logistic"} do
  M[name] = function(x) return lax[prim](floats(x, name)) end
end
M.gammaln, M.psi, M.sigmoid = M.lgamma, M.digamma, M.expit

--- Gamma itself, with its sign to the left of 0.
function M.gamma(x)
  x = floats(x, "gamma")
  local size = lax.exp(lax.lgamma(x))
  -- Between -1 and 0 it is negative, and so at every other step from there.
  local is_odd = jnp.not_equal(jnp.mod(lax.floor(x), 2), 0)
  local r = jnp.where(jnp.logical_and(jnp.less(x, 0), is_odd), lax.neg(size),
                      size)
  local is_pole = jnp.logical_and(jnp.less(x, 0), jnp.equal(x, lax.floor(x)))
  return jnp.where(is_pole, jnp.nan, r)
end

function M.logit(x)
  x = floats(x, "logit")
  return lax.log(lax.div(x, lax.sub(1, x)))
end

-- x f(y), which is 0 where x is, whatever y.
local function times_log(name, f)
  M[name] = function(x, y)
    local a, _, _, shape = args.together_float(name, args.pair(name, x, y))
    x, y = args.filled(a[1], shape), args.filled(a[2], shape)
    local is_zero = lax.eq(x, lax.full_like(x, 0))
    local safe = jnp.where(is_zero, 1.0, y)
    local r = jnp.where(is_zero, 0.0, lax.mul(x, f(safe)))
    return jnp.where(lax.ne(y, y), jnp.nan, r)
  end
end
times_log("xlogy", function(y) return lax.log(y) end)
times_log("xlog1py", function(y) return lax.log1p(y) end)

-- Terms of the series around 0, up to where it is used, and of the one at
-- infinity (DLMF 10.25.2, 10.40.1).
local i0_terms = {f32 = {26, 9, 12}, f64 = {80, 30, 24}}

--- The modified Bessel function of order 0.
function M.i0(x)
  x = floats(x, "i0")
  local t, is_weak = core.dtype_of(x), core.aval_of(x).weak
  local wide = t == "f64" and t or "f32"
  x = lax.abs(args.as_type(x, wide))
  local near, limit, far = table.unpack(i0_terms[wide])
  local is_far = jnp.greater(x, limit)
  local z = lax.mul(lax.square(jnp.where(is_far, 0.0, x)), 0.25)
  local sum = lax.full_like(z, 1.0)
  for k = near, 1, -1 do
    sum = lax.add(lax.mul(sum, lax.mul(z, 1.0 / (k * k))), 1)
  end
  local big = jnp.where(is_far, x, limit + 0.0)
  local w, tail = lax.div(0.125, big), lax.full_like(big, 1.0)
  for k = far, 1, -1 do
    tail = lax.add(lax.mul(tail, lax.mul(w, (2 * k - 1)^2 / k)), 1)
  end
  local half = lax.exp(lax.mul(big, 0.5)) -- squared below: it overflows later
  local r = lax.mul(lax.mul(half, lax.mul(tail, lax.rsqrt(lax.mul(
    big, 2 * math.pi)))), half)
  r = jnp.where(is_far, r, sum)
  return args.as_type(jnp.where(jnp.isposinf(x), jnp.inf, r), t, is_weak)
end

-- ---- Numbers taken apart ----

-- {word, bits of the fraction, exponent's mask, exponent of 1/2 as stored}
local layout = {f16 = {"i16", 10, 31, 14}, bf16 = {"i16", 7, 255, 126},
                f32 = {"i32", 23, 255, 126}, f64 = {"i64", 52, 2047, 1022}}

--- frexp(x): a fraction in [0.5, 1) and the power of 2, as two arrays.
function M.frexp(x)
  x = floats(x, "frexp")
  local t = core.dtype_of(x)
  local word, bits, mask, bias = table.unpack(layout[t])
  local function exponent_of(v)
    return lax["and"](lax.shift_right_logical(
      lax.bitcast_convert_type(v, word), bits), mask)
  end
  -- Denormals are scaled up first.
  local is_tiny = jnp.equal(exponent_of(x), 0)
  local scaled = jnp.where(is_tiny, lax.mul(x, 2.0^(bits + 2)), x)
  local stored = lax.convert_element_type(exponent_of(scaled), "i32")
  local e = lax.sub(stored, jnp.where(is_tiny,
                                      core.literal(bias + bits + 2, "i32"),
                                      core.literal(bias, "i32")))
  local kept = ~(mask << bits)
  local fraction = lax.bitcast_convert_type(lax["or"](
    lax["and"](lax.bitcast_convert_type(scaled, word), kept), bias << bits), t)
  local special = jnp.logical_or(jnp.equal(x, 0),
                                 jnp.logical_not(lax.is_finite(x)))
  return jnp.where(special, x, fraction),
         jnp.where(special, 0, e)
end

--- modf(x): the fraction and the whole part, as two arrays.
function M.modf(x)
  x = floats(x, "modf")
  local whole = jnp.trunc(x)
  return lax.sub(x, whole), whole
end

return M
