-- SPDX-License-Identifier: Apache-2.0
-- Elementwise primitives of one argument; elementwise.lua says what a row is.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")
local family = use("prims/elementwise")
local define = family.define
local np = use.np

define("neg", "n", np.negative, {"-$1", "(T)(0 - (U)$1)"}, {-1})
define("sign", "n", np.sign, {"($1 > 0 ? (T)1 : $1 < 0 ? (T)-1 : $1)",
                              "(T)(($1 > 0) - ($1 < 0))"}, {false})
define("abs", "n", np.abs, {"F(fabs)($1)", "($1 < 0 ? (T)(0 - (U)$1) : $1)"},
       {function(_, x) -- 1 at 0, as in JAX
         return lax.select_n(lax.ge(x, 0), lax.full_like(x, -1),
                             lax.full_like(x, 1))
       end})
define("square", "n", np.square, {"$1 * $1", "(T)((U)$1 * (U)$1)"},
       {function(_, x) return lax.mul(x, 2) end})
define("floor", "f", np.floor, "F(floor)($1)", {false})
define("ceil", "f", np.ceil, "F(ceil)($1)", {false})
define("is_finite", "f?", np.isfinite, "isfinite($1)", false)
define("exp", "f", np.exp, "F(exp)($1)", {function(y) return y end})
define("exp2", "f", np.exp2, "F(exp2)($1)",
       {function(y) return lax.mul(y, math.log(2)) end})
define("expm1", "f", np.expm1, "F(expm1)($1)",
       {function(y) return lax.add(y, 1) end})
define("log", "f", np.log, "F(log)($1)",
       {function(_, x) return lax.div(1, x) end})
define("log1p", "f", np.log1p, "F(log1p)($1)",
       {function(_, x) return lax.div(1, lax.add(x, 1)) end})
define("sqrt", "f", np.sqrt, "F(sqrt)($1)",
       {function(y) return lax.div(0.5, y) end})
define("rsqrt", "f", function(x) return np.reciprocal(np.sqrt(x)) end,
       "F(rsqrt)($1)", {function(y, x) return lax.div(lax.mul(y, -0.5), x) end})
define("cbrt", "f", np.cbrt, "F(cbrt)($1)",
       {function(y, x) return lax.div(lax.mul(y, 1 / 3), x) end})
define("sin", "f", np.sin, "F(sin)($1)", {function(_, x) return lax.cos(x) end})
define("cos", "f", np.cos, "F(cos)($1)",
       {function(_, x) return lax.neg(lax.sin(x)) end})
define("tan", "f", np.tan, "F(tan)($1)",
       {function(y) return lax.add(lax.mul(y, y), 1) end})
-- 1 - x^2 as (1 - x) (1 + x) is right near 1.
local function below_one(x) return lax.mul(lax.sub(1, x), lax.add(x, 1)) end
define("asin", "f", np.arcsin, "F(asin)($1)",
       {function(_, x) return lax.rsqrt(below_one(x)) end})
define("acos", "f", np.arccos, "F(acos)($1)",
       {function(_, x) return lax.neg(lax.rsqrt(below_one(x))) end})
define("atan", "f", np.arctan, "F(atan)($1)",
       {function(_, x) return lax.div(1, lax.add(lax.square(x), 1)) end})
define("sinh", "f", np.sinh, "F(sinh)($1)",
       {function(_, x) return lax.cosh(x) end})
define("cosh", "f", np.cosh, "F(cosh)($1)",
       {function(_, x) return lax.sinh(x) end})
define("tanh", "f", np.tanh, "F(tanh)($1)",
       {function(y) return lax.mul(lax.sub(1, y), lax.add(y, 1)) end})
define("asinh", "f", np.arcsinh, "F(asinh)($1)",
       {function(_, x) return lax.rsqrt(lax.add(lax.square(x), 1)) end})
define("acosh", "f", np.arccosh, "F(acosh)($1)",
       {function(_, x)
         return lax.rsqrt(lax.mul(lax.sub(x, 1), lax.add(x, 1)))
       end})
define("atanh", "f", np.arctanh, "F(atanh)($1)",
       {function(_, x) return lax.div(1, below_one(x)) end})
define("logistic", "f", np.expit, "((T)1 / ((T)1 + F(exp)(-$1)))",
       {function(y) return lax.mul(y, lax.sub(1, y)) end})

-- ---- Special functions ----

local function gauss(x, factor)
  return lax.mul(lax.exp(lax.neg(lax.square(x))), factor)
end
local two_by_root = 2 / math.sqrt(math.pi)
define("erf", "f", np.erf, "F(erf)($1)",
       {function(_, x) return gauss(x, two_by_root) end})
define("erfc", "f", np.erfc, "F(erfc)($1)",
       {function(_, x) return gauss(x, -two_by_root) end})
define("lgamma", "f", np.lgamma, "F(lgamma)($1)",
       {function(_, x) return lax.digamma(x) end})
define("digamma", "f", "digamma", "(T)gamma_digamma($1)",
       {function(_, x) return lax.polygamma(1, x) end})
define("polygamma", "f", "polygamma", "(T)gamma_polygamma($1, $2)",
       {false, function(_, m, x) return lax.polygamma(lax.add(m, 1), x) end})
define("zeta", "f", "zeta", "(T)gamma_zeta($1, $2)",
       {false, function(_, s, q) -- (the first: jnp/lax_made.lua)
          return lax.neg(lax.mul(s, lax.zeta(lax.add(s, 1), q)))
        end})

-- The density of gamma numbers of shape a.
local function gamma_density(a, x)
  return lax.exp(lax.sub(lax.sub(lax.mul(lax.sub(a, 1), lax.log(x)), x),
                         lax.lgamma(a)))
end
define("igamma_grad_a", "f", "igamma_grad_a", "(T)gamma_p_by_a($1, $2)", false)
define("random_gamma_grad", "f", "random_gamma_grad",
       "(T)gamma_sample_grad($1, $2)", false)
define("igamma", "f", "igamma", "(T)gamma_p($1, $2)",
       {function(_, a, x) return lax.igamma_grad_a(a, x) end,
        function(_, a, x) return gamma_density(a, x) end})
define("igammac", "f", "igammac", "(T)gamma_q($1, $2)",
       {function(_, a, x) return lax.neg(lax.igamma_grad_a(a, x)) end,
        function(_, a, x) return lax.neg(gamma_density(a, x)) end})
define("exp1", "f", "exp1", "(T)gamma_e1($1)",
       {function(_, x) return lax.neg(lax.div(lax.exp(lax.neg(x)), x)) end})
define("expi", "f", "expi", "(T)gamma_ei($1)",
       {function(_, x) return lax.div(lax.exp(x), x) end})
define("bessel_i0e", "f", "bessel_i0e", "(T)gamma_bessel_ie(0, $1)",
       {function(y, x)
         return lax.sub(lax.bessel_i1e(x), lax.mul(lax.sign(x), y))
       end})
-- The derivative at 0 is a half.
define("bessel_i1e", "f", "bessel_i1e", "(T)gamma_bessel_ie(1, $1)",
       {function(y, x)
         local is_zero = lax.eq(x, lax.full_like(x, 0))
         local safe = lax.select_n(is_zero, x, lax.full_like(x, 1))
         local slope = lax.sub(lax.bessel_i0e(safe), lax.mul(y, lax.add(
           lax.sign(safe), lax.reciprocal(safe))))
         return lax.select_n(is_zero, slope, lax.full_like(x, 0.5))
       end})
do
  local text = "#define GAMMA __device__\n" .. use.source("kernels/gamma.h")
  emit.add_helper("gamma_digamma", text)
  emit.add_helper("gamma_polygamma", text)
  emit.add_helper("gamma_zeta", text)
  text = text .. use.source("kernels/incomplete.h")
  for _, name in ipairs{"p", "q", "p_by_a", "sample_grad", "e1", "ei",
                        "bessel_ie"} do
    emit.add_helper("gamma_" .. name, text)
  end
end

-- ---- Bits ----

define("not", "i", function(x)
  return x.dtype == "bool" and np.logical_not(x) or np.invert(x)
end, {"", "(T)~$1", "!$1"}, false)
define("population_count", "w", "population_count",
       {"", "(T)__popcll((unsigned long long)(U)$1)"}, false)
define("clz", "w", "clz",
       {"", "(T)(__clzll((unsigned long long)(U)$1) - (64 - BITS))"}, false)

-- ---- Rounding: {rounding_method} 0: halves away from 0; 1: to even ----

core.define{
  name = "round",
  eval = function(p, x)
    if p.rounding_method == 1 then return np.rint(x) end
    return use.elementwise("round_away", x)
  end,
  shape = family.shape_rule("round", "f"),
  batch = batch.elementwise("round"),
  diff = {
    jvp = function() return {false} end,
    vjp = function() return {false} end,
  },
  emit = {map = function(eqn)
    return eqn.params.rounding_method == 1 and "F(rint)($1)" or "F(round)($1)"
  end},
}
function lax.round(x, rounding_method)
  return core.bind1("round", {rounding_method = rounding_method or 0}, x)
end

-- ---- The same value ----

define("stop_gradient", "a", function(x) return x end, "$1", false)
define("copy", "a", function(x) return x:copy() end, "$1", {1})
lax.bitwise_not = lax["not"]
