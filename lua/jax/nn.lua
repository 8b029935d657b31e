-- SPDX-License-Identifier: Apache-2.0
-- jax.nn: activations, softmax and its kin, and initializers for weights.
-- Formulas as in docs.jax.dev, "jax.nn".
local use = ...
local core = use("core")
local api = use("api")
local lax = use("lax")
local custom = use("custom")
local jnp = use("jnp")
local M = {initializers = {}}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Activations ----

local relu = custom.custom_jvp(function(x) return jnp.maximum(x, 0) end)
relu.name = "relu"
-- 0 at 0, where maximum alone has a half.
relu:defjvps(function(t, _, x)
  return lax.select(jnp.greater(x, 0), t, jnp.zeros_like(t))
end)
function M.relu(x) return relu(x) end

local relu6 = custom.custom_jvp(function(x)
  return jnp.minimum(jnp.maximum(x, 0), 6)
end)
relu6.name = "relu6"
relu6:defjvps(function(t, _, x)
  local inside = jnp.logical_and(jnp.greater(x, 0), jnp.less(x, 6))
  return lax.select(inside, t, jnp.zeros_like(t))
end)
function M.relu6(x) return relu6(x) end

function M.sigmoid(x) return lax.logistic(jnp.add(x, 0.0)) end

function M.softplus(x) return jnp.logaddexp(x, 0.0) end

function M.sparse_plus(x)
  return jnp.where(jnp.less_equal(x, -1), 0.0,
                   jnp.where(jnp.greater_equal(x, 1), x, (x + 1) ^ 2 / 4))
end

function M.silu(x) return x * M.sigmoid(x) end
M.swish = M.silu

function M.mish(x) return x * jnp.tanh(M.softplus(x)) end

function M.log_sigmoid(x) return -M.softplus(-x) end

function M.soft_sign(x) return x / (jnp.abs(x) + 1) end

function M.elu(x, alpha)
  local safe = jnp.where(jnp.greater(x, 0), 0.0, x)
  return jnp.where(jnp.greater(x, 0), x, (alpha or 1.0) * jnp.expm1(safe))
end

function M.selu(x)
  return 1.0507009873554804934193349852946 *
         M.elu(x, 1.6732632423543772848170429916717)
end

function M.celu(x, alpha)
  alpha = alpha or 1.0
  return jnp.maximum(x, 0.0) + alpha *
         jnp.expm1(jnp.minimum(x, 0.0) / alpha)
end

function M.leaky_relu(x, negative_slope)
  return jnp.where(jnp.greater_equal(x, 0), x, (negative_slope or 0.01) * x)
end

function M.hard_tanh(x)
  return jnp.where(jnp.greater(x, 1), 1.0, jnp.where(jnp.less(x, -1), -1.0, x))
end

function M.hard_sigmoid(x) return M.relu6(x + 3.0) / 6.0 end

function M.hard_silu(x) return x * M.hard_sigmoid(x) end
M.hard_swish = M.hard_silu

function M.squareplus(x, b)
  return (x + jnp.sqrt(jnp.square(x) + (b or 4.0))) / 2
end

--- `approximate` (default true): by tanh; else by the error function.
function M.gelu(x, approximate)
  if approximate == false then
    return x * 0.5 * lax.erfc(-x * (0.5 ^ 0.5))
  end
  local inner = (2 / jnp.pi) ^ 0.5 * (x + 0.044715 * x ^ 3)
  return x * (0.5 * (1.0 + jnp.tanh(inner)))
end

function M.glu(x, axis)
  local halves = jnp.split(x, 2, axis or -1)
  return halves[1] * M.sigmoid(halves[2])
end

-- ---- Along an axis ----

M.logsumexp = jnp.logsumexp

-- A maximum that only keeps exp from overflowing has no derivative.
local function shifted(x, axis)
  return x - lax.stop_gradient(jnp.max(x, axis, true))
end

function M.softmax(x, axis)
  axis = axis or -1
  local e = jnp.exp(shifted(x, axis))
  return e / jnp.sum(e, axis, true)
end

function M.log_softmax(x, axis)
  axis = axis or -1
  local s = shifted(x, axis)
  return s - jnp.log(jnp.sum(jnp.exp(s), axis, true))
end

--- To mean 0 and variance 1 along the axis.
function M.standardize(x, axis, mean, variance, epsilon)
  axis = axis or -1
  mean = mean or jnp.mean(x, axis, true)
  variance = variance or
             jnp.mean(jnp.square(x), axis, true) - jnp.square(mean)
  return (x - mean) * lax.rsqrt(variance + (epsilon or 1e-5))
end

--- 1 at each number, 0 elsewhere, along a new last axis.
function M.one_hot(x, num_classes, dtype)
  x = api.as_value(x, "one_hot's argument")
  if core.is_literal(x) then x = use("exec").array_of(x) end
  local numbers = jnp.arange(num_classes, core.dtype_of(x))
  return jnp.equal(jnp.expand_dims(x, -1), numbers):astype(dtype or "f32")
end

-- ---- Initializers: (key, shape [, dtype]) -> weights ----

local init = M.initializers

-- A normal number, drawn again where it is outside.
local function truncated_normal(key, lower, upper, shape, dtype)
  local root2 = 2 ^ 0.5
  local function erf(x) return lax.erf(jnp.array(x / root2, dtype)) end
  local u = use("random").uniform(key, shape, dtype, erf(lower), erf(upper))
  return jnp.clip(root2 * lax.erf_inv(u), lower, upper)
end

local function constant(value)
  return function(_, shape, dtype)
    return jnp.full(shape, value, dtype or "f32")
  end
end
init.zeros, init.ones = constant(0.0), constant(1.0)
function init.constant(value) return constant(value) end

function init.normal(stddev)
  return function(key, shape, dtype)
    return use("random").normal(key, shape, dtype or "f32") * (stddev or 1e-2)
  end
end

function init.uniform(scale)
  return function(key, shape, dtype)
    return use("random").uniform(key, shape, dtype or "f32") * (scale or 1e-2)
  end
end

function init.truncated_normal(stddev, lower, upper)
  return function(key, shape, dtype)
    return truncated_normal(key, lower or -2.0, upper or 2.0, shape,
                            dtype or "f32") * (stddev or 1e-2)
  end
end

-- The number of inputs and outputs of a unit: all axes but the last two are
-- its receptive field.
local function fans(shape)
  if #shape < 2 then
    fail("ValueError", "Can't compute input and output sizes of a %d-" ..
         "dimensional weights tensor. Must be at least 2D.", #shape)
  end
  local field = 1
  for i = 1, #shape - 2 do field = field * shape[i] end
  return shape[#shape - 1] * field, shape[#shape] * field
end

--- mode: "fan_in", "fan_out", "fan_avg"; distribution: "truncated_normal",
--- "normal", "uniform".
function init.variance_scaling(scale, mode, distribution)
  return function(key, shape, dtype)
    local random = use("random")
    dtype = dtype or "f32"
    local fan_in, fan_out = fans(shape)
    local n = ({fan_in = fan_in, fan_out = fan_out,
                fan_avg = (fan_in + fan_out) / 2})[mode]
    if not n then
      fail("ValueError", "invalid mode for variance scaling initializer: %s",
           tostring(mode))
    end
    local variance = scale / n
    if distribution == "normal" then
      return random.normal(key, shape, dtype) * variance ^ 0.5
    elseif distribution == "uniform" then
      return random.uniform(key, shape, dtype, -1.0, 1.0) *
             (3 * variance) ^ 0.5
    elseif distribution == "truncated_normal" then
      -- The deviation of a normal number that is cut at 2.
      local stddev = variance ^ 0.5 / 0.87962566103423978
      return truncated_normal(key, -2.0, 2.0, shape, dtype) * stddev
    end
    fail("ValueError", "invalid distribution for variance scaling " ..
         "initializer: %s", tostring(distribution))
  end
end

for name, row in pairs{
  glorot = {1.0, "fan_avg"}, xavier = {1.0, "fan_avg"},
  lecun = {1.0, "fan_in"}, he = {2.0, "fan_in"}, kaiming = {2.0, "fan_in"},
} do
  init[name .. "_uniform"] = function()
    return init.variance_scaling(row[1], row[2], "uniform")
  end
  init[name .. "_normal"] = function()
    return init.variance_scaling(row[1], row[2], "truncated_normal")
  end
end

return M
