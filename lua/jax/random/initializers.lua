-- SPDX-License-Identifier: Apache-2.0
-- jax.nn.initializers: what weights begin with. Each gives a function (key,
-- shape [, dtype]) -> weights; zeros and ones are such functions themselves.
-- Formulas as in docs.jax.dev, "jax.nn.initializers".
local use = ...
local core = use("core/core")
local config = use("core/config")
local lax = use("core/lax")
local jnp = use("jnp/jnp")
local random = use("random/random")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- A normal number, drawn again where it is outside.
local function truncated_normal(key, lower, upper, shape, dtype)
  local root2 = 2 ^ 0.5
  local function erf(x) return lax.erf(jnp.array(x / root2, dtype)) end
  local u = random.uniform(key, shape, dtype, erf(lower), erf(upper))
  return jnp.clip(root2 * lax.erf_inv(u), lower, upper)
end

local function constant(value)
  return function(_, shape, dtype)
    return jnp.full(shape, value, dtype or config.float())
  end
end
M.zeros, M.ones = constant(0.0), constant(1.0)
function M.constant(value) return constant(value) end

function M.normal(stddev)
  return function(key, shape, dtype)
    return random.normal(key, shape, dtype or config.float()) *
           (stddev or 1e-2)
  end
end

function M.uniform(scale)
  return function(key, shape, dtype)
    return random.uniform(key, shape, dtype or config.float()) *
           (scale or 1e-2)
  end
end

function M.truncated_normal(stddev, lower, upper)
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
function M.variance_scaling(scale, mode, distribution)
  return function(key, shape, dtype)
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
function M.orthogonal(scale, column_axis)
  return function(key, shape, dtype)
    if #shape < 2 then
      fail("ValueError", "orthogonal initializer requires at least a 2D shape")
    end
    local axis = (column_axis or -1) % #shape
    local rest = table.move(shape, 1, #shape, 1, {})
    local rows = table.remove(rest, axis + 1)
    local columns = core.size(rest)
    local q = random.orthogonal(key, math.max(rows, columns), {},
                                       dtype or config.float(),
                                       math.min(rows, columns))
    if rows < columns then q = jnp.transpose(q) end
    table.insert(rest, 1, rows)
    return (scale or 1.0) * jnp.moveaxis(jnp.reshape(q, rest), 0, axis)
  end
end

--- Kernels of convolutions that are orthogonal in their middle and 0 elsewhere:
--- the space first, then input and output features.
function M.delta_orthogonal(scale)
  return function(key, shape, dtype)
    local n = #shape
    if n < 3 or n > 5 then
      fail("ValueError", "Delta orthogonal initializer requires a 3D, 4D or " ..
           "5D shape, not %s", core.shape_text(shape))
    elseif shape[n] < shape[n - 1] then
      fail("ValueError", "`fan_in` must be less or equal than `fan_out`: %s",
           core.shape_text(shape))
    end
    local q = M.orthogonal(scale)(key, {shape[n - 1], shape[n]}, dtype)
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
  M[name .. "_uniform"] = function()
    return M.variance_scaling(row[1], row[2], "uniform")
  end
  M[name .. "_normal"] = function()
    return M.variance_scaling(row[1], row[2], "truncated_normal")
  end
end

return M
