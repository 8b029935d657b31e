-- SPDX-License-Identifier: Apache-2.0
-- Loops by each of the ways in which they can run (lua/jax/compile/loops.lua),
-- beside each other: as one kernel, as a block of kernels' steps, or step by
-- step from Lua. `LOOPS="kernel block step"` says which, `ROUNDS` (5) how
-- often, in turns. Cells are milliseconds of a call, the median of the rounds,
-- and in brackets the commands that it sends to the device; "-" where a loop
-- cannot run so.
local clock = cuda.clock -- seconds
local ways, rounds = {}, tonumber(os.getenv("ROUNDS")) or 5
for way in (os.getenv("LOOPS") or "kernel block step"):gmatch("%a+") do
  ways[#ways + 1] = way
end

-- The table of lua/jax/compile/loops.lua: it is nobody's but jax's own.
local function find_loops()
  local seen, list = {}, {jax.lax.scan}
  while #list > 0 do
    local x = table.remove(list)
    local function look(y)
      if (type(y) == "table" or type(y) == "function") and not seen[y] then
        seen[y] = true
        list[#list + 1] = y
      end
    end
    if type(x) == "table" then
      if rawget(x, "emit_scan") then return x end
      for _, y in next, x do look(y) end
    else
      for i = 1, 255 do
        local name, y = debug.getupvalue(x, i)
        if not name then break end
        look(y)
      end
    end
  end
end
local loops = find_loops()

local function numbers(...)
  local n = 1
  for _, size in ipairs{...} do n = n * size end
  return jnp.array(np.sin(np.arange(n, "f32") * 12.9898):reshape{...} * 0.1)
end

-- ---- Rows: each gives a function to jit, and its arguments ----

local rows = {}
local function row(name, make) rows[#rows + 1] = {name = name, make = make} end

local function decay(steps, size)
  return function()
    return function(c, xs)
      return jax.lax.scan(function(a, x)
        a = a * 0.9 + jnp.sin(x)
        return a, a * 2
      end, c, xs)
    end, {numbers(size), numbers(steps, size)}
  end
end
row("scan, elements alone: 1000 steps of 1", decay(1000, 1))
row("scan, elements alone: 200 steps of 1024", decay(200, 1024))
row("scan, elements alone: 4 steps of 65536", decay(4, 65536))

row("scan in reverse, a network of 32: 100 steps", function()
  local W = numbers(32, 32)
  return function(h, xs)
    return jax.lax.scan(function(a, x)
      a = jnp.tanh(jnp.matmul(W, a) + x)
      return a, a
    end, h, xs, {reverse = true})
  end, {numbers(32), numbers(100, 32)}
end)

row("its gradient", function()
  local xs = numbers(100, 32)
  return jax.grad(function(W)
    local h = jax.lax.scan(function(a, x)
      return jnp.tanh(jnp.matmul(W, a) + x), nil
    end, jnp.zeros(32), xs)
    return jnp.sum(h)
  end), {numbers(32, 32)}
end)

row("while, elements alone: 1024 of up to 100 steps", function()
  return jax.vmap(function(x)
    return jax.lax.while_loop(function(s) return s:lt(100.0) end,
                              function(s) return s * 1.01 + 1.0 end, x)
  end), {jnp.abs(numbers(1024)) * 100}
end)

row("while, a matrix of 32: 50 steps", function()
  local A = numbers(32, 32)
  return function(v)
    return jax.lax.while_loop(
      function(s) return jnp.less(s[1], 50) end,
      function(s)
        local w = jnp.matmul(A, s[2])
        return {s[1] + 1, w / jnp.sqrt(jnp.sum(w * w))}
      end, {0, v})
  end, {numbers(32)}
end)

row("cond, a matrix of 32", function()
  local A = numbers(32, 32)
  return function(v)
    return jax.lax.cond(jnp.greater(jnp.sum(v), 0),
                        function(x) return jnp.matmul(A, x) end,
                        function(x) return x * 2 end, v)
  end, {numbers(32)}
end)

row("scan with a call of Lua in each step: 20", function()
  return function(c, xs)
    return jax.lax.scan(function(a, x)
      local y = jax.pure_callback(function(v) return v end,
                                  jax.ShapeDtypeStruct({8}, "f32"), a + x)
      return y, y
    end, c, xs)
  end, {numbers(8), numbers(20, 8)}
end)

-- ---- Timing ----

-- A jitted function that runs its loops in this way alone, with its arguments;
-- nil where that cannot be.
local function prepared(make, way)
  loops.left_out = {kernel = way ~= "kernel", block = way ~= "block"}
  local before = {}
  for k, n in pairs(loops.planned) do before[k] = n end
  local f, arguments = make()
  local g = jax.jit(function(...) return f(...) end)
  local ok, e = pcall(g, table.unpack(arguments))
  loops.left_out = {}
  if not ok then error(e, 0) end
  for k, n in pairs(loops.planned) do
    if k ~= way and n > before[k] then return nil end
  end
  return function() return g(table.unpack(arguments)) end
end

local function time_of(f)
  local from = clock()
  f()
  cuda.synchronize()
  return (clock() - from) * 1e3
end

local function commands_of(f)
  local before = cuda.memory_stats().num_commands
  f()
  cuda.synchronize()
  return cuda.memory_stats().num_commands - before
end

print(("# device %s · medians of %d rounds, in turns"):format(cuda.device().id,
                                                              rounds))
print("| loop | " .. table.concat(ways, " | ") .. " |")
print("|---|" .. ("---|"):rep(#ways))
for _, r in ipairs(rows) do
  local calls, times, cells = {}, {}, {}
  for i, way in ipairs(ways) do
    calls[i], times[i] = prepared(r.make, way) or false, {}
  end
  for _ = 1, rounds do
    for i, f in ipairs(calls) do
      if f then table.insert(times[i], time_of(f)) end
    end
  end
  for i, f in ipairs(calls) do
    table.sort(times[i])
    cells[i] = f and ("%.3g (%d)"):format(times[i][(rounds + 1) // 2],
                                          commands_of(f)) or "-"
  end
  print(("| %s | %s |"):format(r.name, table.concat(cells, " | ")))
end
