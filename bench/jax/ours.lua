-- SPDX-License-Identifier: Apache-2.0
-- Answers requests of bench/jax/run, one a line: "NAME [SEED]". The answer is
-- "WALL [DEVICE]": microseconds of one call, with its share of the host's work
-- and by the device's own clock. Of `compile...`: milliseconds of the first
-- call of a function that nobody has seen. peers.py answers the same, from the
-- same functions.
local clock = cuda.clock -- seconds
local is_small = os.getenv("BENCH_SMALL") ~= nil -- to try this file out
local is_real = cuda.device().id:find("cuda", 1, true) == 1

local function size(n, small) return is_small and small or n end

-- Numbers that look random, the same in all three programs.
local PERIOD = 1 << 20
local function filled(shape, scale)
  local count = 1
  for _, n in ipairs(shape) do count = count * n end
  local x = np.sin(np.arange(math.min(count, PERIOD), "f32") * 12.9898) * scale
  if count > PERIOD then x = np.tile(x, {count // PERIOD}) end
  return jnp.array(np.reshape(x:astype("f32"), shape))
end

local function selu(x)
  return 1.05 * jnp.where(x:gt(0), x, 1.67 * jnp.exp(x) - 1.67)
end

-- ---- Timing ----

local function seconds(f, calls)
  local from = clock()
  local y
  for _ = 1, calls do y = f() end
  cuda.synchronize()
  return clock() - from, y
end

-- As many calls in a row as fill 20 ms, and the wait for the last, after 30 ms
-- of the same, so that clocks are up and memory is there.
local WARM_S, SPAN_S, MOST_CALLS = 0.03, 0.02, 1 << 14

local function per_call(f)
  local count, spent = 1, 0
  repeat
    local s = seconds(f, count)
    spent = spent + s
    if s < SPAN_S / 2 then count = math.min(count * 2, MOST_CALLS) end
  until spent >= WARM_S
  while true do
    local s = seconds(f, count)
    if s >= SPAN_S or count >= MOST_CALLS or is_small then
      return s * 1e6 / count
    end
    count = math.min(MOST_CALLS, math.ceil(count * SPAN_S / s * 1.2))
  end
end

-- The device's time from one call to the next while calls wait in a queue: they
-- are queued behind copies that take longer than queueing them.
local delay_from, delay_to
local function delay()
  if not delay_from then
    delay_from = cuda.device_array(1 << 26, "f32")
    delay_to = cuda.device_array(1 << 26, "f32")
  end
  for _ = 1, 16 do delay_to:copy_from(delay_from) end
end

local function on_device(f, wall_us)
  if not is_real then return nil end
  local calls = math.max(5, math.min(100, SPAN_S * 1e6 // wall_us))
  local from, to = cuda.event(), cuda.event()
  local y
  delay()
  from:record()
  for _ = 1, calls do y = f() end
  to:record()
  to:synchronize()
  return from:elapsed(to) * 1e3 / calls, y
end

-- ---- Rows ----

local rows = {}

local function selu_of(count)
  return function()
    local x, f = filled({count}, 3), jax.jit(selu)
    return function() return f(x) end
  end
end
rows.selu_1m = selu_of(size(1 << 20, 1 << 14))
rows.selu_64m = selu_of(size(1 << 26, 1 << 16))

function rows.copy_64m()
  local count = size(1 << 26, 1 << 16)
  local x = cuda.device_array(count, "f32")
  local y = cuda.device_array(count, "f32")
  x:fill(0.5)
  return function() y:copy_from(x) end
end

function rows.matvec()
  local A, v = filled({150, 100}, 1), filled({10, 100}, 1)
  local f = jax.jit(jax.vmap(function(x) return jnp.dot(A, x) end))
  return function() return f(v) end
end

local function product_of(a, b, precision)
  return jax.default_matmul_precision(precision, function()
    return jnp.matmul(a, b)
  end)
end

local function gradient(precision)
  return function()
    local n, k, m = size(1024, 64), size(512, 32), size(512, 32)
    local X, W = filled({n, k}, 1), filled({k, m}, 0.1)
    local Y = filled({n, m}, 1)
    local f = jax.jit(jax.grad(function(w)
      return jnp.mean((jnp.tanh(product_of(X, w, precision)) - Y) ^ 2)
    end))
    return function() return f(W) end
  end
end
rows.grad_f32 = gradient("highest")
rows.grad_tf32 = gradient("tensorfloat32")

local function product(precision)
  return function()
    local n = size(4096, 64)
    local a, b = filled({n, n}, 1), filled({n, n}, 1)
    local f = jax.jit(function(c, d) return product_of(c, d, precision) end)
    return function() return f(a, b) end
  end
end
rows.matmul_f32 = product("highest")
rows.matmul_tf32 = product("tensorfloat32")

function rows.sum_64m()
  local x = filled({size(1 << 26, 1 << 16)}, 1)
  local f = jax.jit(function(a) return jnp.sum(a) end)
  return function() return f(x) end
end

local function of_matrix(f)
  return function()
    local x, g = filled({size(8192, 64), size(4096, 64)}, 3), jax.jit(f)
    return function() return g(x) end
  end
end
rows.softmax = of_matrix(function(x) return jax.nn.softmax(x, 1) end)
rows.columns = of_matrix(function(x) return jnp.sum(x, 0) end)
rows.transpose = of_matrix(function(x)
  return jnp.transpose(x * 2.0) + 1.0
end)

-- ---- Compiling ----

local small

-- Functions that differ in numbers from all before.
local makers = {}

function makers.compile(a)
  return function(x)
    return a * jnp.where(x:gt(0), x, 1.67 * jnp.exp(x) - 1.67)
  end
end

function makers.compile_chain(a)
  return function(x)
    local y = x
    for i = 1, 10 do y = jnp.sin(y * (a + i)) + x / (i + a) end
    return y
  end
end

function makers.compile_rows(a)
  return function(x) return jax.nn.softmax(jnp.reshape(x, {64, 64}) * a, 1) end
end

function makers.compile_slope(a)
  return jax.grad(function(x) return jnp.mean(jnp.tanh(x * a) ^ 2) end)
end

local function compile(maker, seed)
  small = small or filled({4096}, 3)
  local body = maker(1.05 + seed * 1e-6)
  cuda.synchronize()
  local from = clock()
  local y = jax.jit(body)(small)
  cuda.synchronize()
  return (clock() - from) * 1e3, y
end

-- ---- Requests ----

local ready, ready_count = {}, 0 -- two at most, so that memory is not short
local function answer(name, seed)
  if makers[name] then return (compile(makers[name], seed)) end
  if not ready[name] then
    if ready_count == 2 then
      ready, ready_count = {}, 0
      collectgarbage()
      collectgarbage()
    end
    ready[name], ready_count = rows[name](), ready_count + 1
  end
  local wall = per_call(ready[name])
  return wall, (on_device(ready[name], wall))
end

for line in io.lines() do
  local name, seed = line:match("^(%S+)%s*(%d*)")
  local ok, wall, device = pcall(answer, name, tonumber(seed))
  if not ok then io.stderr:write(name, ": ", tostring(wall), "\n") end
  print(not ok and "-" or device and ("%.5g %.5g"):format(wall, device) or
        ("%.5g"):format(wall))
  io.stdout:flush()
end
