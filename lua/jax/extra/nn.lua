-- SPDX-License-Identifier: Apache-2.0
-- jax.nn: activations, softmax and its kin, and initializers for weights.
-- Formulas as in docs.jax.dev, "jax.nn".
local use = ...
local core = use("core/core")
local api = use("transforms/api")
local lax = use("core/lax")
local custom = use("transforms/custom")
local args = use("core/args")
local jnp = use("jnp/jnp")
local types = use("core/types")
local config = use("core/config")
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
  return jnp.minimum(jnp.maximum(x, 0), 6.0)
end)
relu6.name = "relu6"
relu6:defjvps(function(t, _, x)
  local inside = jnp.logical_and(jnp.greater(x, 0), jnp.less(x, 6))
  return lax.select(inside, t, jnp.zeros_like(t))
end)
function M.relu6(x) return relu6(x) end

function M.sigmoid(x)
  x = args.value(x, "sigmoid")
  if not core.is_literal(x) and not types.is_float(core.dtype_of(x)) then
    fail("TypeError", "sigmoid takes floats, not %s: x:astype(\"f32\") first",
         core.aval_text(core.aval_of(x)))
  end
  return lax.logistic(jnp.add(x, 0.0))
end

function M.softplus(x) return jnp.logaddexp(x, 0) end

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
  return jnp.where(jnp.greater(x, 1), 1, jnp.where(jnp.less(x, -1), -1, x))
end

function M.identity(x) return args.done(args.value(x, "nn.identity")) end

function M.tanh(x) return jnp.tanh(x) end

function M.sparse_sigmoid(x)
  return 0.5 * jnp.clip(jnp.add(x, 1.0), 0.0, 2.0)
end

--- log(1 - exp(-x)), near 0 and far from it.
function M.log1mexp(x)
  x = jnp.add(x, 0.0)
  local is_near = jnp.less(x, math.log(2))
  local safe = jnp.where(is_near, 1.0, x)
  return jnp.where(is_near, jnp.log(-jnp.expm1(-jnp.where(is_near, x, 0.5))),
                   jnp.log1p(-jnp.exp(-safe)))
end

function M.hard_sigmoid(x) return M.relu6(x + 3.0) / 6.0 end

function M.hard_silu(x) return x * M.hard_sigmoid(x) end
M.hard_swish = M.hard_silu

function M.squareplus(x, b)
  local both = args.promoted("squareplus", {x, b or 4.0}, types.inexact)
  x, b = both[1], both[2]
  return (x + jnp.sqrt(jnp.square(x) + b)) / 2
end

--- `approximate` (default true): by tanh; else by the error function.
function M.gelu(x, approximate)
  x = args.as_float(args.value(x, "gelu"))
  x = args.as_type(x, core.dtype_of(x)) -- never weak, as in JAX
  if approximate == false then
    return x * 0.5 * lax.erfc(-x * (0.5 ^ 0.5))
  end
  local inner = (2 / jnp.pi) ^ 0.5 * (x + 0.044715 * x ^ 3)
  return x * (0.5 * (1.0 + jnp.tanh(inner)))
end

function M.glu(x, axis)
  local halves = {jnp.split(x, 2, axis or -1)}
  return halves[1] * M.sigmoid(halves[2])
end

-- ---- Along an axis ----

M.logsumexp = jnp.logsumexp

--- The logarithm of the mean of exp(x), over all axes where none are named.
function M.logmeanexp(x, axis, keepdims)
  local total = jnp.logsumexp(x, {axis = axis, keepdims = keepdims})
  local count = core.size(core.shape_of(x)) / core.size(core.shape_of(total))
  return total - math.log(count)
end

-- A maximum that only keeps exp from overflowing has no derivative.
local function shifted(x, axis)
  if core.size(core.shape_of(x)) == 0 then return x end
  return x - lax.stop_gradient(jnp.max(x, axis, true))
end

-- Elements that a mask leaves out are as if they were -infinity.
local function masked(x, where)
  return where == nil and x or jnp.where(where, x, -math.huge)
end

function M.softmax(x, axis, where)
  axis = axis or -1
  local e = jnp.exp(shifted(masked(x, where), axis))
  return e / jnp.sum(e, axis, true)
end

function M.log_softmax(x, axis, where)
  axis = axis or -1
  local s = shifted(masked(x, where), axis)
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

--- 1 at each number, 0 elsewhere, along a new axis: the last, or this.
function M.one_hot(x, num_classes, dtype, axis)
  x = api.as_value(x, "one_hot's argument")
  if core.is_literal(x) then x = use("compile/exec").array_of(x) end
  local numbers = jnp.arange(num_classes, core.dtype_of(x))
  local r = jnp.equal(jnp.expand_dims(x, -1), numbers)
  r = r:astype(dtype or config.float())
  return axis and jnp.moveaxis(r, -1, axis) or r
end

-- ---- Attention ----

--- softmax(query key' scale + bias) value, for each head. Axes: batch (it may
--- be left out), place, head, feature; fewer heads of key and value are shared.
--- `mask`: true where a place is seen; `is_causal`: only places before it.
function M.dot_product_attention(query, key, value, ...)
  local name = "nn.dot_product_attention"
  local o = args.named(name, {"bias", "mask", "scale", "is_causal",
                              "query_seq_lengths", "key_value_seq_lengths"},
                       ...)
  local q, k, v = args.array(query, name), args.array(key, name),
                  args.array(value, name)
  local rank = #core.shape_of(q)
  if rank ~= 3 and rank ~= 4 then
    fail("ValueError", "%s: the query has 3 or 4 axes, not shape %s", name,
         core.shape_text(core.shape_of(q)))
  end
  if rank == 3 then
    q, k, v = lax.expand_dims(q, {0}), lax.expand_dims(k, {0}),
              lax.expand_dims(v, {0})
  end
  local s, ks = core.shape_of(q), core.shape_of(k)
  local heads, shared = s[3], ks[3]
  if heads % shared ~= 0 or s[4] ~= ks[4] or s[1] ~= ks[1] then
    fail("ValueError", "%s: a query of shape %s does not go with keys of " ..
         "shape %s", name, core.shape_text(s), core.shape_text(ks))
  end
  if heads ~= shared then
    k = jnp["repeat"](k, heads // shared, 2)
    v = jnp["repeat"](v, heads // shared, 2)
  end
  local logits = jnp.einsum("btnh,bsnh->bnts", q, k)
  logits = logits:astype("f32") * (o.scale or 1 / math.sqrt(s[4]))
  if o.bias ~= nil then logits = logits + o.bias end
  local seen = o.mask
  local function also(m)
    seen = seen == nil and m or jnp.logical_and(seen, m)
  end
  local to, from = jnp.arange(s[2]), jnp.arange(ks[2])
  if o.is_causal then
    also(jnp.greater_equal(jnp.expand_dims(to, 1), jnp.expand_dims(from, 0)))
  end
  local function within(places, lengths, axis)
    return jnp.expand_dims(jnp.less(jnp.expand_dims(places, 0),
                                    jnp.expand_dims(lengths, 1)), {1, axis})
  end
  if o.key_value_seq_lengths ~= nil then
    also(within(from, o.key_value_seq_lengths, 2))
  end
  if o.query_seq_lengths ~= nil then
    also(within(to, o.query_seq_lengths, 3))
  end
  if seen ~= nil then
    logits = jnp.where(seen, logits, -0.7 * 3.4028234663852886e38)
  end
  local weights = M.softmax(logits, -1):astype(core.dtype_of(k))
  local out = jnp.einsum("bnts,bsnh->btnh", weights, v)
  if o.query_seq_lengths ~= nil then
    local is_there = jnp.less(jnp.expand_dims(to, 0),
                              jnp.expand_dims(o.query_seq_lengths, 1))
    out = jnp.where(jnp.expand_dims(is_there, {2, 3}), out, 0)
  end
  return rank == 3 and lax.squeeze(out, {0}) or out
end

-- ---- Initializers: (key, shape [, dtype]) -> weights ----

local init = M.initializers

-- A normal number, drawn again where it is outside.
local function truncated_normal(key, lower, upper, shape, dtype)
  local root2 = 2 ^ 0.5
  local function erf(x) return lax.erf(jnp.array(x / root2, dtype)) end
  local u = use("random/random").uniform(key, shape, dtype, erf(lower), erf(upper))
  return jnp.clip(root2 * lax.erf_inv(u), lower, upper)
end

local function constant(value)
  return function(_, shape, dtype)
    return jnp.full(shape, value, dtype or config.float())
  end
end
init.zeros, init.ones = constant(0.0), constant(1.0)
function init.constant(value) return constant(value) end

function init.normal(stddev)
  return function(key, shape, dtype)
    return use("random/random").normal(key, shape, dtype or config.float()) *
           (stddev or 1e-2)
  end
end

function init.uniform(scale)
  return function(key, shape, dtype)
    return use("random/random").uniform(key, shape, dtype or config.float()) *
           (scale or 1e-2)
  end
end

function init.truncated_normal(stddev, lower, upper)
  return function(key, shape, dtype)
    return truncated_normal(key, lower or -2.0, upper or 2.0, shape,
                            dtype or config.float()) * (stddev or 1e-2)
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
    local random = use("random/random")
    dtype = dtype or config.float()
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

--- Matrices whose columns (or rows) are of length 1 and orthogonal; the other
--- axes than `column_axis` are one.
function init.orthogonal(scale, column_axis)
  return function(key, shape, dtype)
    if #shape < 2 then
      fail("ValueError", "orthogonal initializer requires at least a 2D shape")
    end
    local axis = (column_axis or -1) % #shape
    local rest = table.move(shape, 1, #shape, 1, {})
    local rows = table.remove(rest, axis + 1)
    local columns = core.size(rest)
    local q = use("random/random").orthogonal(key, math.max(rows, columns), {},
                                       dtype or config.float(),
                                       math.min(rows, columns))
    if rows < columns then q = jnp.transpose(q) end
    table.insert(rest, 1, rows)
    return (scale or 1.0) * jnp.moveaxis(jnp.reshape(q, rest), 0, axis)
  end
end

--- Kernels of convolutions that are orthogonal in their middle and 0 elsewhere:
--- the space first, then input and output features.
function init.delta_orthogonal(scale)
  return function(key, shape, dtype)
    local n = #shape
    if n < 3 or n > 5 then
      fail("ValueError", "Delta orthogonal initializer requires a 3D, 4D or " ..
           "5D shape, not %s", core.shape_text(shape))
    elseif shape[n] < shape[n - 1] then
      fail("ValueError", "`fan_in` must be less or equal than `fan_out`: %s",
           core.shape_text(shape))
    end
    local q = init.orthogonal(scale)(key, {shape[n - 1], shape[n]}, dtype)
    local edges = {}
    for d = 1, n - 2 do
      local before = (shape[d] - 1) // 2
      edges[d] = {before, shape[d] - 1 - before, 0}
      q = lax.expand_dims(q, {0})
    end
    edges[n - 1], edges[n] = {0, 0, 0}, {0, 0, 0}
    return lax.pad(q, 0, edges)
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
