-- SPDX-License-Identifier: Apache-2.0
-- What holds of many functions at once: results that JAX never gives weakly
-- (it makes them of constants with a type), and functions of one argument,
-- which refuse a second rather than pass it over.
local use = ...
local core = use("core/core")
local args = use("core/args")
local config = use("core/config")

local strong = {
  jnp = "cross diagflat log10 log2 polyder polyval spacing",
  special = "beta exp1 expi gamma gammasgn log_ndtr ndtr ndtri poch",
}

-- Strong where they have axes: constants are then made of the array's shape.
local strong_with_axes = {
  jnp = [[
    deg2rad degrees full_like gcd lcm rad2deg radians sinc
  ]],
  special = "kl_div logit rel_entr",
}

local of_one = {
  jnp = [[
    abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin
    asinh atan atanh bitwise_count bitwise_invert bitwise_not cbrt ceil conj
    conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs flipud floor frexp
    i0 imag invert isfinite isinf isnan log log10 log1p log2 logical_not modf
    negative positive rad2deg radians real reciprocal rint sign signbit sin sinc
    sinh spacing sqrt square tan tanh trunc
  ]],
  nn = [[
    hard_sigmoid hard_silu hard_swish hard_tanh identity log_sigmoid mish relu
    relu6 selu sigmoid silu soft_sign softplus sparse_plus sparse_sigmoid swish
    tanh
  ]],
  special = [[
    digamma entr erf erfc erfinv expit factorial gamma gammaln gammasgn i0 i1
    loggamma logit ndtr ndtri
  ]],
}

local function without_weakness(x, least_rank)
  if not core.is_tracer(x) and not use.is_jax(x) then return x end
  local a = core.aval_of(x)
  return a.weak and #core.shape_of(x) >= least_rank and
         args.as_type(x, a.dtype) or x
end

local function let_be_strong(into, names, least_rank)
  for name in names:gmatch("%S+") do
    local f = into[name]
    into[name] = function(...) return without_weakness(f(...), least_rank) end
  end
end

local function let_take_one(into, names)
  for name in names:gmatch("%S+") do
    local f = into[name]
    into[name] = function(x, ...)
      for i = 1, select("#", ...) do
        if (select(i, ...)) ~= nil then
          args.fail(name, "TypeError", "it takes one argument, and %d were " ..
                    "given", i + 1)
        end
      end
      return f(x)
    end
  end
end

-- Places and counts, which have the default width: 64 bits with jax_enable_x64.
-- The number is that of the first result which is one.
local places = {
  nonzero = 1, flatnonzero = 1, argwhere = 1, argsort = 1, lexsort = 1,
  unravel_index = 1, mask_indices = 1, unique = 2, intersect1d = 2,
}

local function widened(x)
  if type(x) == "table" and not getmetatable(x) then
    for k, own in pairs(x) do x[k] = widened(own) end
    return x
  end
  return args.as_type(x, config.int())
end

local function let_be_places(into)
  for name, first in pairs(places) do
    local f = into[name]
    into[name] = function(...)
      local out = table.pack(f(...))
      for i = first, config.x64 and out.n or 0 do out[i] = widened(out[i]) end
      return table.unpack(out, 1, out.n)
    end
  end
end

return function(jax, jnp)
  let_be_places(jnp)
  local special = jax.scipy.special
  for name, into in pairs{jnp = jnp, special = special} do
    let_be_strong(into, strong[name], 0)
    let_be_strong(into, strong_with_axes[name], 1)
  end
  let_take_one(jnp, of_one.jnp)
  let_take_one(jax.nn, of_one.nn)
  let_take_one(special, of_one.special)
end
