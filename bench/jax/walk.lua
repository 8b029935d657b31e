-- SPDX-License-Identifier: Apache-2.0
-- A first walk through JAX, with its timings: arrays that do not change, random
-- keys, products of matrices, SELU with and without jit, and a matrix times ten
-- vectors by a loop, by vmap and by jit of vmap. walk.py is the same in Python.
--   warpshop run bench/jax/walk.lua [LARGEST_PRODUCT [SELU_FLOATS]]
-- Each time is the mean of 7 runs after a first one, each run as many calls as
-- fill 20 ms, waiting for the last result (as IPython's %timeit).
local random = jax.random
local clock = cuda.clock
local largest, floats = ...
largest = tonumber(largest or 3000) // 1
floats = tonumber(floats or 1000000) // 1

local function in_units(s)
  if s < 1e-3 then return ("%.1f us"):format(s * 1e6) end
  if s < 1 then return ("%.3g ms"):format(s * 1e3) end
  return ("%.3g s"):format(s)
end

local function seconds(f, calls)
  local from, y = clock(), nil
  for _ = 1, calls do y = f() end
  jax.block_until_ready(y)
  return clock() - from
end

local function timed(title, f, what)
  local first = seconds(f, 1)
  local calls, once = 1, seconds(f, 1)
  while once * calls < 0.02 and calls < 1 << 16 do
    calls = calls * 2
    once = seconds(f, calls) / calls
  end
  local runs, sum, square = once > 2 and 1 or 7, 0, 0
  for _ = 1, runs do
    local s = seconds(f, calls) / calls
    sum, square = sum + s, square + s * s
  end
  local mean = sum / runs
  local off = math.sqrt(math.max(0, square / runs - mean * mean))
  print(("%-44s %10s ± %s (%d runs, %d calls each; first %s%s)"):format(title,
    in_units(mean), in_units(off), runs, calls, in_units(first),
    what and "; " .. what(mean) or ""))
end

print("device: " .. jnp.zeros({1}).device)

-- Arrays are immutable.
local x_np, x_jnp = np.arange(10), jnp.arange(10)
print(x_np, x_jnp)
x_np[0] = 10
print(x_np)
local ok, e = pcall(function() x_jnp[0] = 10 end)
print(not ok and "Sorry: " .. tostring(e.message))
assert(not ok)
local updated = x_jnp.at[0]:set(10)
print(updated, x_jnp)
assert(updated[0]:item() == 10 and x_jnp[0]:item() == 0)

-- Random numbers come from keys, and products of them.
local key = random.PRNGKey(0)
for _, n in ipairs{1000, 3000} do
  if n <= largest then
    local x = jax.device_put(random.normal(key, {n, n}))
    local function rate(s)
      return ("%.3g TFLOP/s"):format(2 * n ^ 3 / s / 1e12)
    end
    timed(("jnp.dot(x, x.T), %d x %d"):format(n, n), function()
      return jnp.dot(x, x.T)
    end, rate)
  end
end

-- jit.
local x = random.normal(key, {floats})
local function slow_selu(v, alpha, lmbda)
  alpha, lmbda = alpha or 1.67, lmbda or 1.05
  return lmbda * jnp.where(v:gt(0), v, alpha * jnp.exp(v) - alpha)
end
local fast_selu = jax.jit(slow_selu)
timed(("SELU of %d floats, eager"):format(floats),
      function() return slow_selu(x) end)
timed(("SELU of %d floats, jit"):format(floats),
      function() return fast_selu(x) end)
np.testing.assert_allclose(np.asarray(fast_selu(x)), np.asarray(slow_selu(x)),
                           1e-6, 1e-7)

-- vmap.
local matrix = random.normal(key, {150, 100})
local vectors = random.normal(key, {10, 100})
local function times_vector(v) return jnp.dot(matrix, v) end
local function by_loop(vs)
  local rows = {}
  for i = 0, #vs - 1 do rows[i + 1] = times_vector(vs[i]) end
  return jnp.stack(rows)
end
local by_vmap = jax.vmap(times_vector)
local by_jit = jax.jit(by_vmap)
timed("150 x 100 matrix, 10 vectors: loop",
      function() return by_loop(vectors) end)
timed("150 x 100 matrix, 10 vectors: vmap",
      function() return by_vmap(vectors) end)
timed("150 x 100 matrix, 10 vectors: jit(vmap)",
      function() return by_jit(vectors) end)
local want = np.matmul(np.asarray(vectors), np.asarray(matrix).T)
for _, f in ipairs{by_loop, by_vmap, by_jit} do
  np.testing.assert_allclose(np.asarray(f(vectors)), want, 2e-5, 2e-5)
end
print(jax.make_jaxpr(by_vmap)(vectors))
