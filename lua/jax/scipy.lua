-- SPDX-License-Identifier: Apache-2.0
-- jax.scipy: special functions and a few distributions, made of jnp and lax.
local use = ...
local lax = use("lax")
local nn = use("nn")
local jnp = use("jnp")
local special, stats = {}, {norm = {}, uniform = {}, expon = {}}

-- Numbers become floats first.
local function float(x) return jnp.add(x, 0.0) end

for name, prim in pairs{erf = "erf", erfc = "erfc", erfinv = "erf_inv",
                        gammaln = "lgamma", digamma = "digamma"} do
  special[name] = function(x) return lax[prim](float(x)) end
end
special.psi = special.digamma
special.expit = nn.sigmoid
special.logsumexp = jnp.logsumexp
special.softmax, special.log_softmax = nn.softmax, nn.log_softmax

function special.logit(x)
  x = float(x)
  return jnp.log(x / (1 - x))
end

function special.xlogy(x, y)
  local safe = jnp.where(jnp.equal(x, 0), 1.0, y)
  return jnp.where(jnp.equal(x, 0), 0.0, x * jnp.log(safe))
end

function special.xlog1py(x, y)
  local safe = jnp.where(jnp.equal(x, 0), 1.0, y)
  return jnp.where(jnp.equal(x, 0), 0.0, x * jnp.log1p(safe))
end

function special.entr(x)
  x = float(x)
  local inside = -special.xlogy(x, x)
  return jnp.where(jnp.less(x, 0), -jnp.inf, inside)
end

function special.betaln(a, b)
  return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)
end

function special.ndtr(x)
  return 0.5 * lax.erfc(-float(x) * 0.5 ^ 0.5)
end

function special.ndtri(p)
  return 2 ^ 0.5 * lax.erf_inv(2.0 * p - 1.0)
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

return {special = special, stats = stats}
