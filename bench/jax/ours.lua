-- SPDX-License-Identifier: Apache-2.0
-- Answers requests of bench/jax/run, one a line: "NAME [SEED]". The answer is
-- one number: microseconds of one call, or what the row says. peers.py answers
-- the same.
local lax = jax.lax
local clock = cuda.clock -- seconds

-- Numbers that look random, the same in all three programs.
local function filled(shape, scale)
  local count = 1
  for _, n in ipairs(shape) do count = count * n end
  local x = np.arange(count, "f32")
  x = np.sin(x * 12.9898) * scale
  return jnp.array(np.reshape(x, shape))
end

local function selu(x)
  return 1.05 * lax.select_n(lax.gt(x, 0.0), 1.67 * jnp.exp(x) - 1.67, x)
end

-- Microseconds of one call: as many in a row as fill a few milliseconds, and
-- the wait for the last.
local function per_call(f)
  local count = 1
  f()
  cuda.synchronize()
  while true do
    local from = clock()
    local y
    for _ = 1, count do y = f() end
    cuda.synchronize()
    local us = (clock() - from) * 1e6
    if us > 5000 or count >= 4096 then return us / count end
    count = count * (us < 500 and 8 or 2)
  end
end

local rows = {}

local function selu_of(count)
  local x, f = filled({count}, 3), jax.jit(selu)
  return function() return f(x) end
end
rows.selu_1m = selu_of
rows.selu_64m = selu_of
local sizes = {selu_1m = 1 << 20, selu_64m = 1 << 26}

function rows.copy_64m()
  local x = cuda.device_array(1 << 26, "f32")
  local y = cuda.device_array(1 << 26, "f32")
  return function() y:copy_from(x) end
end

function rows.matvec()
  local A, v = filled({150, 100}, 1), filled({10, 100}, 1)
  local f = jax.jit(jax.vmap(function(x)
    return lax.dot_general(A, x, {{{1}, {0}}, {{}, {}}})
  end))
  return function() return f(v) end
end

local function gradient(precision)
  return function()
    local X, W = filled({1024, 512}, 1), filled({512, 512}, 0.1)
    local Y = filled({1024, 512}, 1)
    local f = jax.jit(jax.grad(function(W)
      local P = lax.dot_general(X, W, {{{1}, {0}}, {{}, {}}}, nil, precision)
      local d = jnp.tanh(P) - Y
      return jnp.sum(d * d) / (1024.0 * 512.0)
    end))
    return function() return f(W) end
  end
end
rows.grad_f32 = gradient("float32")
rows.grad_tf32 = gradient("tensorfloat32")

local function product(n, precision)
  return function()
    local a, b = filled({n, n}, 1), filled({n, n}, 1)
    local f = jax.jit(function(a, b)
      return lax.dot_general(a, b, {{{1}, {0}}, {{}, {}}}, nil, precision)
    end)
    return function() return f(a, b) end
  end
end
rows.matmul_f32 = product(4096, "float32")
rows.matmul_tf32 = product(4096, "tensorfloat32")

function rows.sum_64m()
  local x, f = filled({1 << 26}, 1), jax.jit(function(x) return jnp.sum(x) end)
  return function() return f(x) end
end

function rows.softmax()
  local x = filled({8192, 4096}, 3)
  local f = jax.jit(function(x)
    local function spread(v)
      return lax.broadcast_in_dim(v, {8192, 4096}, {0})
    end
    local e = jnp.exp(x - spread(lax.reduce_max(x, {1})))
    return e / spread(lax.reduce_sum(e, {1}))
  end)
  return function() return f(x) end
end

function rows.columns()
  local x = filled({8192, 4096}, 1)
  local f = jax.jit(function(x) return lax.reduce_sum(x, {0}) end)
  return function() return f(x) end
end

function rows.transpose()
  local x = filled({8192, 4096}, 1)
  local f = jax.jit(function(x) return lax.transpose(x * 2.0, {1, 0}) + 1.0 end)
  return function() return f(x) end
end

-- Tracing and compiling a function that nobody has seen: milliseconds.
local small = filled({4096}, 3)
local function compile(seed)
  local a = 1.05 + seed * 1e-6
  local from = clock()
  local f = jax.jit(function(x)
    return a * lax.select_n(lax.gt(x, 0.0), 1.67 * jnp.exp(x) - 1.67, x)
  end)
  local y = f(small)
  cuda.synchronize()
  return (clock() - from) * 1e3
end

local ready = {}
for line in io.lines() do
  local name, seed = line:match("^(%S+)%s*(%d*)")
  local ok, answer = pcall(function()
    if name == "compile" then return compile(tonumber(seed)) end
    if not ready[name] then
      ready = {} -- one at a time, so that memory is not short
      collectgarbage()
      ready[name] = rows[name](sizes[name])
    end
    return per_call(ready[name])
  end)
  if not ok then io.stderr:write(tostring(answer), "\n") end
  print(ok and ("%.4g"):format(answer) or "-")
  io.stdout:flush()
end
