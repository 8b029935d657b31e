-- SPDX-License-Identifier: Apache-2.0
-- jax.nn: activations, softmax and its kin.
-- Formulas as in docs.jax.dev, "jax.nn".
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local custom = use("transforms/custom")
local args = use("core/args")
local jnp = use("jnp/jnp")
local types = use("core/types")
local config = use("core/config")
local arrays = use("core/arrays")
local M = {}

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
  if core.size(core.shape_of(x)) == 0 then return x - x end -- no maximum
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
  x = arrays.as_value(x, "one_hot's argument")
  if core.is_literal(x) then x = arrays.array_of(x) end
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

return M
