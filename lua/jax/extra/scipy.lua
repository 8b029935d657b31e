-- SPDX-License-Identifier: Apache-2.0
-- jax.scipy: special functions and a few distributions, made of jnp and lax.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local nn = use("extra/nn")
local jnp = use("jnp/jnp")
local types = use("core/types")
local special, stats = {}, {norm = {}, uniform = {}, expon = {}}

local args = use("core/args")

-- Numbers become floats first.
local function float(x) return args.as_float(args.value(x, "scipy.special")) end

-- Two of them meet in one type.
local function floats(a, b)
  local both = args.promoted("scipy.special", {a, b}, types.inexact)
  return both[1], both[2]
end

for name, prim in pairs{erf = "erf", erfc = "erfc", erfinv = "erf_inv",
                        gammaln = "lgamma", digamma = "digamma"} do
  special[name] = function(x) return lax[prim](float(x)) end
end
special.psi = special.digamma
function special.expit(x) return lax.logistic(float(x)) end
special.logsumexp = jnp.logsumexp
special.softmax, special.log_softmax = nn.softmax, nn.log_softmax

function special.logit(x)
  x = float(x)
  return jnp.log(x / (1 - x))
end

function special.xlogy(x, y)
  x, y = floats(x, y)
  local safe = jnp.where(jnp.equal(x, 0), 1.0, y)
  return jnp.where(jnp.equal(x, 0), 0.0, x * jnp.log(safe))
end

function special.xlog1py(x, y)
  x, y = floats(x, y)
  local safe = jnp.where(jnp.equal(x, 0), 1.0, y)
  return jnp.where(jnp.equal(x, 0), 0.0, x * jnp.log1p(safe))
end

function special.entr(x)
  x = float(x)
  local inside = -special.xlogy(x, x)
  return jnp.where(jnp.less(x, 0), -jnp.inf, inside)
end

function special.betaln(a, b)
  a, b = floats(a, b)
  return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)
end

function special.ndtr(x)
  return 0.5 * lax.erfc(-float(x) * 0.5 ^ 0.5)
end

function special.ndtri(p)
  return 2 ^ 0.5 * lax.erf_inv(2.0 * p - 1.0)
end

-- ---- Gamma and its kin ----

special.gamma = jnp.gamma

-- lax's functions of floats: both arguments become floats of one shape.
for name, prim in pairs{gammainc = "igamma", gammaincc = "igammac",
                        zeta = "zeta", polygamma = "polygamma",
                        exp1 = "exp1", expi = "expi", i0e = "bessel_i0e",
                        i1e = "bessel_i1e"} do
  special[name] = function(...)
    local all, _, _, shape = args.together_float("special." .. name, {...})
    for i = 1, #all do
      all[i] = core.is_literal(all[i]) and #shape == 0 and all[i] or
               args.filled(all[i], shape)
    end
    return lax[prim](table.unpack(all))
  end
end

function special.betainc(a, b, x) return lax.betainc(a, b, x) end

function special.i0(x) return jnp.exp(jnp.abs(x)) * special.i0e(x) end
function special.i1(x) return jnp.exp(jnp.abs(x)) * special.i1e(x) end

--- The sign of gamma.
function special.gammasgn(x)
  x = float(x)
  local below, whole = jnp.less(x, 0), jnp.floor(x)
  local is_zero = jnp.equal(x, 0)
  local is_minus = jnp.logical_or(
    jnp.logical_and(below, jnp.not_equal(jnp.mod(whole, 2), 0)),
    jnp.logical_and(is_zero, jnp.signbit(x)))
  local is_pole = jnp.logical_and(below, jnp.equal(x, whole))
  return jnp.where(jnp.logical_or(is_pole, jnp.isnan(x)), jnp.nan,
                   jnp.where(is_minus, -1.0, jnp.ones_like(x)))
end

function special.loggamma(x)
  x = float(x)
  return jnp.where(jnp.greater(x, 0), lax.lgamma(x), jnp.nan)
end

function special.beta(a, b)
  a, b = floats(a, b)
  return special.gammasgn(a) * special.gammasgn(b) * special.gammasgn(a + b) *
         jnp.exp(special.betaln(a, b))
end

function special.factorial(n)
  n = float(n)
  return jnp.where(jnp.less(n, 0), 0.0, jnp.exp(special.gammaln(n + 1)))
end

function special.comb(n, k)
  n, k = floats(n, k)
  local holds = jnp.logical_and(jnp.less_equal(k, n), jnp.greater_equal(k, 0))
  n, k = jnp.where(holds, n, 0.0), jnp.where(holds, k, 0.0)
  return jnp.where(holds, jnp.exp(
    special.gammaln(n + 1) - special.gammaln(k + 1) -
    special.gammaln(n + 1 - k)), 0.0)
end

--- gamma(z + m) / gamma(z)
function special.poch(z, m)
  z, m = floats(z, m)
  return jnp.where(jnp.equal(m, 0), 1.0,
                   special.gamma(z + m) / special.gamma(z))
end

function special.multigammaln(a, d)
  a = float(a)
  local sum = 0.25 * d * (d - 1) * math.log(math.pi)
  for i = 0, d - 1 do sum = sum + special.gammaln(a - i / 2) end
  return sum
end

-- ---- Entropies and transforms ----

--- p log(p / q), 0 where p is 0.
function special.rel_entr(p, q)
  p, q = floats(p, q)
  local both = jnp.logical_and(jnp.greater(p, 0), jnp.greater(q, 0))
  local none = jnp.logical_and(jnp.equal(p, 0), jnp.greater_equal(q, 0))
  local safe_p, safe_q = jnp.where(both, p, 1.0), jnp.where(both, q, 1.0)
  local inside = safe_p * jnp.log(safe_p) - safe_p * jnp.log(safe_q)
  return jnp.where(both, inside, jnp.where(none, 0.0, jnp.inf))
end

function special.kl_div(p, q)
  p, q = floats(p, q)
  return special.rel_entr(p, q) - p + q
end

local function box_cox(name, log)
  special[name] = function(x, lambda)
    x, lambda = floats(x, lambda)
    local is_zero = jnp.equal(lambda, 0)
    local safe, l = jnp.where(is_zero, 1.0, lambda), log(x)
    return jnp.where(is_zero, l, jnp.expm1(safe * l) / safe)
  end
end
box_cox("boxcox", jnp.log)
box_cox("boxcox1p", jnp.log1p)

--- log(ndtr(x)), far to the left by the asymptotic series (DLMF 7.12.1).
function special.log_ndtr(x)
  x = float(x)
  local limit = core.dtype_of(x) == "f64" and -20 or -10
  local is_low, is_high = jnp.less(x, limit), jnp.greater(x, 5)
  local far = jnp.where(is_low, x, limit + 0.0)
  local tail, term, square = 1.0, 1.0, far * far
  for k = 1, 6 do
    term = -term * (2 * k - 1) / square
    tail = tail + term
  end
  local low = -square / 2 - jnp.log(-far) - 0.5 * math.log(2 * math.pi) +
              jnp.log(tail)
  local near = jnp.where(jnp.logical_or(is_low, is_high), 0.0, x)
  local high = jnp.log1p(-special.ndtr(-jnp.where(is_high, x, 5.0)))
  return jnp.where(is_low, low, jnp.where(is_high, high,
                                          jnp.log(special.ndtr(near))))
end

-- ---- Distributions ----

function stats.norm.logpdf(x, loc, scale)
  scale = scale or 1.0
  local z = (float(x) - (loc or 0.0)) / scale
  return -0.5 * z * z - jnp.log(scale * (2 * jnp.pi) ^ 0.5)
end

function stats.norm.pdf(...) return jnp.exp(stats.norm.logpdf(...)) end

function stats.norm.cdf(x, loc, scale)
  return special.ndtr((float(x) - (loc or 0.0)) / (scale or 1.0))
end

function stats.norm.sf(x, loc, scale)
  return stats.norm.cdf(-float(x), loc and -loc, scale)
end

function stats.norm.ppf(q, loc, scale)
  return special.ndtri(q) * (scale or 1.0) + (loc or 0.0)
end

function stats.expon.logpdf(x, loc, scale)
  scale = scale or 1.0
  local z = (float(x) - (loc or 0.0)) / scale
  return jnp.where(jnp.less(z, 0), -jnp.inf, -z - jnp.log(scale))
end

function stats.expon.pdf(...) return jnp.exp(stats.expon.logpdf(...)) end

function stats.uniform.logpdf(x, loc, scale)
  loc, scale = loc or 0.0, scale or 1.0
  local inside = jnp.logical_and(jnp.greater_equal(x, loc),
                                 jnp.less_equal(x, loc + scale))
  return jnp.where(inside, -jnp.log(scale), -jnp.inf)
end

function stats.uniform.pdf(...) return jnp.exp(stats.uniform.logpdf(...)) end

return {special = special, stats = stats, linalg = use("extra/scipy_linalg")}
