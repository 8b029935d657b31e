-- SPDX-License-Identifier: Apache-2.0
-- Array programs on the virtual GPU, beside JAX on the same CPU (programs.py):
-- a product and a step of training. Prints rows of name, value and unit.
jax.config.update("jax_default_matmul_precision", "highest")
if (os.getenv("UNCHECKED") or "") ~= "" then cuda.set_checked(false) end
local key = jax.random.key(0)
local keys = jax.random.split(key, 6)

-- The best of `rounds` calls, after one that compiles and some that are watched
-- while the tier compiles; the wait for the result counts.
local function row(name, rounds, f)
  for _ = 1, 4 do f():block_until_ready() end
  local best = math.huge
  for _ = 1, rounds do
    local from = cuda.clock()
    f():block_until_ready()
    best = math.min(best, cuda.clock() - from)
  end
  print(("%s\t%.3g\tms"):format(name, best * 1e3))
end

local a = jax.random.normal(keys[0], {512, 512})
local b = jax.random.normal(keys[1], {512, 512})
local product = jax.jit(jnp.matmul)
row("jnp.matmul 512", 12, function() return product(a, b) end)

-- 256 rows of 784 numbers, a hidden layer of 128, ten classes.
local x = jax.random.normal(keys[2], {256, 784})
local y = jax.nn.one_hot(jnp.arange(256) % 10, 10)
local w1 = jax.random.normal(keys[3], {784, 128}) * 0.05
local w2 = jax.random.normal(keys[4], {128, 10}) * 0.1
local function loss(u, v)
  local h = jax.nn.relu(jnp.matmul(x, u))
  local p = jax.nn.log_softmax(jnp.matmul(h, v))
  return -jnp.mean(jnp.sum(p * y, 1))
end
local step = jax.jit(function(u, v)
  local du, dv = table.unpack(jax.grad(loss, {argnums = {0, 1}})(u, v))
  return u - du * 0.1, v - dv * 0.1
end)
row("a step of an MLP", 12, function()
  local u, v = step(w1, w2)
  v:block_until_ready()
  return u
end)
local u, v = step(w1, w2)
print(("# the loss before and after: %.5f %.5f"):format(
  loss(w1, w2):item(), loss(u, v):item()))
