-- SPDX-License-Identifier: Apache-2.0
-- A network of two layers and a recurrent one, trained here and in JAX
-- (../fixtures/jax/programs/train.py) from the same keys: every loss must be
-- the same within 1e-5.
--   warpshop run tests/jax/train.lua [mlp|rnn]
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's are by default.
jax.config.update("jax_default_matmul_precision", "highest")
-- As on a real GPU, arrays and values needed meanwhile share memory.
if os.getenv("JAX_UNCHECKED") then cuda.set_checked(false) end
local json = dofile("tests/jax/json.lua")
local lax, random = jax.lax, jax.random

local wanted = json.read("tests/fixtures/jax/programs/train.json").losses
local only = ...

-- f of the arrays of the same name in each table.
local function map(f, first, ...)
  local out, more = {}, {...}
  for name, x in pairs(first) do
    local others = {}
    for i, t in ipairs(more) do others[i] = t[name] end
    out[name] = f(x, table.unpack(others))
  end
  return out
end

-- ---- Optimisers: start(p) -> state, update(p, g, state, t) -> p, state ----

local function sgd(rate)
  local function update(p, g, state)
    return map(function(x, d) return x - rate * d end, p, g), state
  end
  return {start = function() return {} end, update = jax.jit(update)}
end

local function adam(rate)
  local b1, b2, eps = 0.9, 0.999, 1e-8
  local function update(p, g, state, t)
    local m = map(function(m, d) return b1 * m + (1 - b1) * d end, state.m, g)
    local v = map(function(v, d) return b2 * v + (1 - b2) * d * d end,
                  state.v, g)
    local c1, c2 = 1 - jnp.power(b1, t), 1 - jnp.power(b2, t)
    local new = map(function(x, m1, v1)
      return x - rate * (m1 / c1) / (jnp.sqrt(v1 / c2) + eps)
    end, p, m, v)
    return new, {m = m, v = v}
  end
  local function start(p)
    return {m = map(jnp.zeros_like, p), v = map(jnp.zeros_like, p)}
  end
  return {start = start, update = jax.jit(update)}
end

-- ---- Models: loss, parameters, data ----

local function normal(key, shape, scale)
  return random.normal(key, shape) * scale
end

local function mlp_loss(p, x, y)
  local h = jnp.tanh(jnp.matmul(x, p.w1) + p.b1)
  local d = jnp.matmul(h, p.w2) + p.b2 - y
  return jnp.mean(d * d)
end

local function mlp()
  local k = random.split(random.key(0), 4)
  local x = random.normal(k[0], {64, 8})
  local y = jnp.sin(x[":, 0:1"] * 2) + x[":, 1:2"] * x[":, 2:3"]
  local p = {w1 = normal(k[1], {8, 32}, 0.35), b1 = jnp.zeros({32}),
             w2 = normal(k[2], {32, 1}, 0.18), b2 = jnp.zeros({1})}
  return mlp_loss, p, {x, y}
end

local function rnn_loss(p, xs, y)
  local function cell(h, x)
    h = jnp.tanh(jnp.matmul(x, p.wx) + jnp.matmul(h, p.wh) + p.b)
    return h, jnp.mean(h)
  end
  local h, means = lax.scan(cell, jnp.zeros({16, 16}), xs)
  local d = jnp.matmul(h, p.wo) - y
  return jnp.mean(d * d) + 0.01 * jnp.mean(means * means)
end

local function rnn()
  local k = random.split(random.key(1), 4)
  local xs = random.normal(k[0], {12, 16, 4})
  local y = jnp.tanh(jnp.sum(xs[":, :, 0"], 0)):reshape(16, 1)
  local p = {wx = normal(k[1], {4, 16}, 0.5),
             wh = normal(k[2], {16, 16}, 0.25), b = jnp.zeros({16}),
             wo = normal(k[3], {16, 1}, 0.25)}
  return rnn_loss, p, {xs, y}
end

-- ---- Training ----

local function train(loss, p, data, optimiser, steps)
  local value_and_grad = jax.jit(jax.value_and_grad(loss))
  local state, losses = optimiser.start(p), {}
  for t = 1, steps do
    local value, g = value_and_grad(p, table.unpack(data))
    losses[t] = value:item()
    p, state = optimiser.update(p, g, state, t + 0.0)
  end
  return losses
end

local function check(name, model, optimiser)
  if only and not name:find(only, 1, true) then return end
  local want, loss, p, data = wanted[name], model()
  local losses = train(loss, p, data, optimiser, #want)
  local worst = 0
  for t, v in ipairs(want) do
    worst = math.max(worst, math.abs(losses[t] - v))
    if t == 1 or t % 20 == 0 then
      print(("# %s, step %d: %.7f, JAX %.7f"):format(name, t, losses[t], v))
    end
  end
  print(("# %s: at most %.2g apart in %d steps"):format(name, worst, #want))
  for t, v in ipairs(want) do
    tap.test(("%s: loss %d"):format(name, t), function()
      assert(math.abs(losses[t] - v) <= 1e-5,
             ("%.9g, JAX %.9g"):format(losses[t], v))
    end)
  end
  assert(losses[#losses] < losses[1] / 2, "it has not learned")
end

check("mlp, sgd", mlp, sgd(0.1))
check("mlp, adam", mlp, adam(0.01))
check("rnn, sgd", rnn, sgd(0.1))
check("rnn, adam", rnn, adam(0.01))
tap.done()
