-- SPDX-License-Identifier: Apache-2.0
-- Compiled programs: the way into them, their memory, and what they share.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises
local is_on_host = os.getenv("JAX_PLATFORMS") == "cpu"

local function close(got, want, tolerance)
  np.testing.assert_allclose(np.asarray(got), np.array(want, "f32"),
                             tolerance or 4e-6)
end

-- A function, and how often it was traced.
local function counted(f, options)
  local count = {0}
  return jax.jit(function(...)
    count[1] = count[1] + 1
    return f(...)
  end, options), count
end

local function item(a) return np.asarray(a):item() end

local x = jnp.array({1.5, 2, 3}, "f32")

test("trees in and out, again and again", function()
  local f, count = counted(function(p, s)
    return {sum = p.w + p.b[1], parts = {p.w * s, p.b[1]}}
  end)
  for i = 1, 3 do
    local out = f({w = x * i, b = {x}}, 2.0)
    close(out.sum, {1.5 * i + 1.5, 2 * i + 2, 3 * i + 3})
    close(out.parts[1], {3 * i, 4 * i, 6 * i})
    close(out.parts[2], {1.5, 2, 3})
  end
  equal(count[1], 1)
  local out = f({w = x, b = {x, x}}, 2.0) -- another tree
  equal(count[1], 2)
  close(out.sum, {3, 4, 6})
  raises("lua", "index", function() f({w = x}, 2.0) end)
end)

test("numbers are arguments, and keep their kind", function()
  local f, count = counted(function(a, b) return a * b end)
  close(f(x, 2.0), {3, 4, 6})
  close(f(x, 3.5), {5.25, 7, 10.5})
  equal(count[1], 1)
  close(f(x, 2), {3, 4, 6}) -- a whole number is another type
  equal(count[1], 2)
  equal(f(2, 3).dtype, "i32")
  equal(item(f(2, 3)), 6)
  equal(item(f(4, 5)), 20)
  equal(item(f(2.5, 2.0)), 5.0)
end)

test("a number given back is an array", function()
  local f = jax.jit(function(a) return a end)
  for _ = 1, 2 do
    equal(tostring(f(3)), "Array(3, i32, weak_type=True)")
    equal(tostring(f(2.5)), "Array(2.5, f32, weak_type=True)")
    equal(tostring(f(true)), "Array(true, bool)")
  end
  local a, b = jax.jit(function(n) return n, n + 1 end)(3)
  equal(tostring(a), "Array(3, i32, weak_type=True)")
  equal(tostring(b), "Array(4, i32, weak_type=True)")
end)

test("several results, and an argument as one", function()
  local f = jax.jit(function(a, b) return a, a + b, 7.0, a end)
  for _ = 1, 2 do
    local p, q, r, s = f(x, x)
    close(p, {1.5, 2, 3})
    close(q, {3, 4, 6})
    equal(item(r), 7.0)
    close(s, {1.5, 2, 3})
  end
  equal(item(jax.jit(function(a) return a end)(3.0)), 3.0)
end)

test("static arguments", function()
  local f, count = counted(function(a, n, how)
    for _ = 1, n do a = a * 2.0 end
    return how == "neg" and -a or a
  end, {static_argnums = {1, 2}})
  close(f(x, 2, "pos"), {6, 8, 12})
  close(f(x, 2, "pos"), {6, 8, 12})
  equal(count[1], 1)
  close(f(x, 1, "pos"), {3, 4, 6})
  close(f(x, 1, "neg"), {-3, -4, -6})
  close(f(x, 1, "neg"), {-3, -4, -6})
  equal(count[1], 3)
end)

test("constants from outside", function()
  local w = jnp.array({10, 20, 30}, "f32")
  local f = jax.jit(function(a) return a + w end)
  close(f(x), {11.5, 22, 33})
  w = nil
  collectgarbage()
  close(f(x), {11.5, 22, 33})
end)

test("a jitted function within another, and within grad", function()
  local f = jax.jit(function(a) return jnp.sum(a * a) end)
  close(f(x), 15.25)
  close(f(x), 15.25)
  close(jax.jit(function(a) return f(a) + f(a * 2.0) end)(x), 76.25)
  close(jax.grad(f)(x), {3, 4, 6})
  close(jax.vmap(f)(jnp.array(np.ones({2, 3}, "f32"))), {3, 3})
end)

test("types that a call keeps apart", function()
  local f, count = counted(function(a) return a + a end)
  equal(f(jnp.array({1, 2, 3}, "i32")).dtype, "i32")
  equal(f(x).dtype, "f32")
  equal(f(jnp.array({1, 2, 3}, "i32")).dtype, "i32")
  equal(f(jnp.array(np.zeros({2, 2}, "f32"))).shape[2], 2)
  equal(count[1], 3)
  equal(np.asarray(f(np.array({1, 2, 3}, "f32")))[1], 4.0)
  equal(count[1], 3)
end)

test("a donated argument is gone", function()
  if is_on_host then return end
  local f = jax.jit(function(a, b) return a + b end, {donate_argnums = {0}})
  for _ = 1, 3 do
    local a = x + 1.0
    close(f(a, x), {4, 5, 7})
    raises("use-after-free", "Array has been deleted", function()
      return np.asarray(a)
    end)
    raises("use-after-free", "Array has been deleted", function()
      return f(a, x)
    end)
  end
  close(x, {1.5, 2, 3})
end)

test("memory of dead arrays is used again", function()
  if is_on_host then return end
  cuda.set_checked(false)
  local f = jax.jit(function(a) return a * 0.5 + 1.0 end)
  local b = jnp.ones({50000})
  local a = f(x)
  cuda.empty_cache() -- but for what shares memory with arrays in use
  local least = cuda.memory_stats().bytes_cached
  a = f(a)
  local before = cuda.memory_stats()
  for _ = 1, 50 do
    a = f(a)
    collectgarbage()
  end
  local after = cuda.memory_stats()
  close(a, {2, 2, 2}, 1e-5)
  equal(after.num_allocs - before.num_allocs < 5, true)
  equal(after.num_reuses > before.num_reuses + 40, true)
  equal(after.peak_bytes_in_use >= after.bytes_in_use, true)
  b = f(f(b)) -- luacheck: ignore 311
  a, b = nil, nil -- luacheck: ignore 311
  cuda.empty_cache()
  equal(cuda.memory_stats().bytes_cached <= least, true)
  cuda.set_checked(true)
end)

-- What `count` calls of f cost: trips to the device's server, of which the
-- launches are some, and blocks of memory asked for.
local function cost_of_calls(f, count, ...)
  local args = {...}
  for _ = 1, 3 do f(...) end
  collectgarbage()
  collectgarbage()
  local kept = {} -- luacheck: ignore 241
  for i = 1, count do kept[i] = f(table.unpack(args)) end -- warms the pool
  kept = nil -- luacheck: ignore 311
  collectgarbage()
  collectgarbage()
  cuda.synchronize()
  local before = cuda.memory_stats()
  for _ = 1, count do f(table.unpack(args)) end
  local after = cuda.memory_stats()
  return (after.num_commands - before.num_commands) / count,
         after.num_allocs - before.num_allocs
end

test("a call costs its launches and nothing else", function()
  if is_on_host then return end
  cuda.set_checked(false)
  local lax = jax.lax
  local v = jnp.array(np.arange(2048, "f32") * 1e-3)
  local selu = jax.jit(function(a)
    return 1.05 * jnp.where(a:gt(0), a, 1.67 * jnp.exp(a) - 1.67)
  end)
  local A = jnp.array((np.arange(1500, "f32") * 1e-3):reshape(15, 100))
  local many = jax.jit(jax.vmap(function(b) return jnp.dot(A, b) end))
  local X = jnp.array((np.arange(128 * 64, "f32") * 1e-4):reshape(128, 64))
  local W = jnp.array((np.arange(64 * 128, "f32") * 1e-4):reshape(64, 128))
  local slope = jax.jit(jax.grad(function(w)
    return jnp.mean(jnp.square(jnp.tanh(jnp.matmul(X, w)) - 1.0))
  end))
  local rows = jax.jit(function(a) return jax.nn.softmax(a, 1) end)
  local loop = jax.jit(function(a)
    return lax.fori_loop(0, 10, function(_, b) return b * 0.5 + 1.0 end, a)
  end)
  for _, case in ipairs{{1, selu, v}, {1, many, A[{0, 10}]}, {3, slope, W},
                        {1, rows, A}, {1, loop, v}} do
    local commands, allocs = cost_of_calls(case[2], 20, case[3])
    equal(commands, case[1])
    equal(allocs, 0)
  end
  cuda.set_checked(true)
end)

test("small arrays are cut off slabs", function()
  if is_on_host then return end
  cuda.set_checked(false)
  cuda.empty_cache()
  local least = cuda.memory_stats().bytes_cached
  local f = jax.jit(function(a) return a + 1.0 end)
  local a = jnp.zeros({1500})
  f(a)
  local before, list = cuda.memory_stats(), {}
  for i = 1, 600 do
    a = f(a)
    list[i] = a
  end
  local after = cuda.memory_stats()
  equal(after.num_allocs - before.num_allocs <= 2, true)
  equal(after.num_commands - before.num_commands <= 612, true)
  for i = 1, 600, 37 do equal(list[i][1499]:item(), i + 0.0) end
  -- A slab goes back once nothing of it is in use.
  cuda.empty_cache()
  equal(cuda.memory_stats().bytes_cached > least, true)
  for i = 1, 600, 37 do equal(list[i][0]:item(), i + 0.0) end
  list, a = nil, nil -- luacheck: ignore 311
  cuda.empty_cache()
  equal(cuda.memory_stats().bytes_cached <= least, true)
  cuda.set_checked(true)
end)

test("a long chain is one kernel that writes its result alone", function()
  if is_on_host then return end
  local function chain(v)
    local y = v
    for i = 1, 12 do y = jnp.sin(y * (1.0 + i)) + v / (i + 0.5) end
    return y
  end
  local v = jnp.array(np.arange(64, "f32") * 0.01)
  local source = jax.jit(chain):lower(v):cuda_source()
  local _, kernels = source:gsub("__global__", "")
  local _, writes = source:gsub("__restrict__ q%d", "")
  equal(kernels, 1)
  equal(writes, 1)
  close(jax.jit(chain)(v), chain(v), 1e-6)
end)

test("what is needed meanwhile lies apart", function()
  if is_on_host then return end
  cuda.set_checked(false) -- there it shares one block
  local function f(a, b, c)
    return jnp.concatenate{jnp.sort(a), jnp.sort(b), jnp.sort(c)}
  end
  for _, sizes in ipairs{{25, 25, 37}, {1, 65, 100}, {64, 3, 129},
                         {7, 63, 64}} do
    local args, want = {}, {}
    for i, n in ipairs(sizes) do
      local host = np.sin(np.arange(n, "f32") * 12.9898 + i):astype("f32")
      args[i], want[i] = jnp.array(host), np.sort(host)
    end
    close(jax.jit(f)(table.unpack(args)), np.concatenate(want), 0)
  end
  -- The places of a loop's round, of several sizes.
  local xs = jnp.array((np.arange(60, "f32") * 0.1):reshape(4, 15))
  local function step(carry, row)
    local a = jnp.cumsum(row) * carry[1]
    local b = jnp.sort(row * carry[2])
    return {jnp.sum(a) * 1e-2, carry[2] + b[0]}, jnp.concatenate{a, b}
  end
  local function whole(v)
    return select(2, jax.lax.scan(step, {1.0, 0.5}, v))
  end
  local function slope(v)
    return jax.grad(function(u) return jnp.sum(whole(u) ^ 2) end)(v)
  end
  local got, gradient = jax.jit(whole)(xs), jax.jit(slope)(xs)
  cuda.set_checked(true) -- there each place is an allocation
  close(got, jax.jit(whole)(xs), 0)
  close(gradient, jax.jit(slope)(xs), 0)
end)

test("results of a loop take the memory of those before", function()
  if is_on_host then return end
  cuda.set_checked(false)
  local f = jax.jit(function(a, b) return a * 0.5 + b, a - b end)
  local a, b = jnp.zeros({1 << 18}), jnp.ones({1 << 18})
  local kept = {}
  f(a, b)
  local before = cuda.memory_stats()
  for i = 1, 300 do
    local c
    a, c = f(a, b)
    if i % 30 == 0 then kept[#kept + 1] = {c, i} end
  end
  local after = cuda.memory_stats()
  -- 600 arrays of 1 MiB were made; nobody called the collector.
  equal(after.peak_bytes_in_use - before.bytes_in_use < 100 << 20, true)
  equal(after.bytes_in_use + after.bytes_cached < 200 << 20, true)
  close(a[0], 2.0, 1e-6)
  for _, one in ipairs(kept) do
    close(one[1][1], 1.0 - 2.0 ^ (2 - one[2]), 1e-6)
  end
  cuda.set_checked(true)
end)

test("a long loop leaves no garbage behind", function()
  if is_on_host then return end
  cuda.set_checked(false)
  -- So many results that the collector looks at young arrays within each step.
  local step = jax.jit(function(p)
    local out = {}
    for i, v in ipairs(p) do out[i] = v * 0.5 + i end
    return out
  end)
  local p = {}
  for i = 1, 150 do p[i] = jnp.zeros({8}) end
  local function run(count)
    for _ = 1, count do p = step(p) end
  end
  run(50)
  collectgarbage()
  local before = collectgarbage("count")
  run(1000)
  equal(collectgarbage("count") < 2.1 * before + 512, true)
  close(p[3][0], 6.0, 1e-6)
  cuda.set_checked(true)
end)

test("a chain of reductions needs memory meanwhile", function()
  local function f(a)
    local lax = jax.lax
    local function spread(v) return lax.broadcast_in_dim(v, {4, 6}, {0}) end
    local e = jnp.exp(a - spread(lax.reduce_max(a, {1})))
    return e / spread(lax.reduce_sum(e, {1}))
  end
  local a = jnp.array(np.arange(0, 24, 1, "f32"):reshape(4, 6))
  for _ = 1, 2 do
    np.testing.assert_allclose(np.asarray(jax.jit(f)(a)), np.asarray(f(a)),
                               1e-6)
  end
end)

test("reductions of all shapes and sizes", function()
  local lax = jax.lax
  local shapes = {
    {{1}, {0}}, {{17}, {0}}, {{70001}, {0}}, {{65536}, {0}}, {{3, 40000}, {1}},
    {{40000, 3}, {0}}, {{40000, 40}, {0}}, {{513, 1025}, {0}},
    {{513, 1025}, {1}}, {{513, 1025}, {0, 1}}, {{70, 5, 33}, {1}},
    {{70, 5, 33}, {0, 2}}, {{33, 64, 8}, {1, 2}}, {{5, 0, 3}, {1}},
    {{0, 4}, {1}}, {{300, 100}, {1}}, {{300, 10}, {1}},
  }
  for _, c in ipairs(shapes) do
    local n = 1
    for _, d in ipairs(c[1]) do n = n * d end
    local waves = np.reshape(np.sin(np.arange(n, "f32") * 1.7), c[1])
    for _, t in ipairs{"f32", "f16", "i32"} do
      local v = (t == "i32" and waves * 100 or waves):astype(t)
      local a = jnp.array(v)
      local want = v:astype("f64")
      local text = table.concat(c[1], "x") .. " over " ..
                   table.concat(c[2], ",") .. " " .. t
      local sum = np.asarray(jax.jit(function(y)
        return lax.reduce_sum(y, c[2])
      end)(a))
      local greatest = n > 0 and np.asarray(jax.jit(function(y)
        return lax.reduce_max(y * 2, c[2]) -- read by way of an expression
      end)(a))
      local total, top = want, n > 0 and want * 2
      for i = #c[2], 1, -1 do
        total = np.sum(total, c[2][i])
        if top then top = np.max(top, c[2][i]) end
      end
      local tolerance = t == "f16" and 2e-3 or 1e-5
      np.testing.assert_allclose(np.asarray(sum, "f64"), total, tolerance,
                                 t == "f16" and 0.3 or 1e-2, text)
      if top then
        np.testing.assert_allclose(np.asarray(greatest, "f64"), top, tolerance,
                                   1e-6, text)
      end
    end
  end
end)

test("transposed arrays", function()
  local lax = jax.lax
  local function check(shape, order, t)
    local n = 1
    for _, d in ipairs(shape) do n = n * d end
    local host = (np.reshape(np.sin(np.arange(n, "f32")), shape) * 50):astype(t)
    local got = jax.jit(function(a)
      return lax.transpose(a * 2, order) + 1
    end)(jnp.array(host))
    np.testing.assert_allclose(np.asarray(got),
                               np.transpose(host * 2, order) + 1, 1e-3, 0,
                               table.concat(shape, "x") .. " " .. t)
  end
  for _, t in ipairs{"f32", "f16", "i32", "u8"} do
    check({64, 96}, {1, 0}, t)
    check({37, 101}, {1, 0}, t)
    check({5, 40, 70}, {0, 2, 1}, t)
    check({40, 5, 70}, {2, 1, 0}, t)
    check({40, 30, 20}, {2, 0, 1}, t)
    check({40, 30, 20}, {1, 2, 0}, t)
    check({3, 700}, {1, 0}, t)
    check({2, 33, 4, 40}, {0, 3, 2, 1}, t)
  end
  -- Beside what is read in order, and several results.
  local a = jnp.array(np.reshape(np.sin(np.arange(64 * 64, "f32")), {64, 64}))
  local sum, difference = jax.jit(function(m)
    local t = lax.transpose(m, {1, 0})
    return m + t, m - t
  end)(a)
  local host = np.asarray(a)
  close(sum, host + np.transpose(host))
  close(difference, host - np.transpose(host))
end)

-- A block has a tile and its mirror image, and reads each once.
test("an array beside its own transpose", function()
  local lax = jax.lax
  local function check(f, host_f, shape, t)
    local count = 1
    for _, d in ipairs(shape) do count = count * d end
    local host = np.reshape(np.arange(count, "i32") * 7 % 1009, shape):astype(t)
    local order = {}
    for d = 1, #shape - 2 do order[d] = d - 1 end
    order[#shape - 1], order[#shape] = #shape - 1, #shape - 2
    local got = jax.jit(function(a)
      return f(a, lax.transpose(a, order))
    end)(jnp.array(host))
    equal((np.asarray(got) - host_f(host, np.transpose(host, order))):any(),
          false, table.concat(shape, "x") .. " " .. t)
  end
  local function mixed(a, b) return a * 3 - b end
  for _, t in ipairs{"f32", "i32", "f64"} do
    for _, n in ipairs{16, 31, 32, 33, 64, 65, 96, 100, 129} do
      check(mixed, mixed, {n, n}, t)
    end
    check(mixed, mixed, {3, 70, 70}, t)
    check(mixed, mixed, {2, 3, 40, 40}, t)
    check(mixed, mixed, {1, 64, 64}, t)
    for _, n in ipairs{1024, 1030} do check(mixed, mixed, {n, n}, t) end
  end
  if jax.config.jax_platforms == "cpu" then return end
  local low = jax.lower(function(a)
    return mixed(a, lax.transpose(a, {1, 0}))
  end, jnp.zeros{64, 64})
  local text = low:cuda_source()
  local _, reads = text:gsub("p0%[", "")
  equal(reads, 1, text)
end)

test("what is read under a condition is not read before", function()
  local lax = jax.lax
  local host = np.sin(np.arange(637, "f32"))
  local sines = jnp.array(host)
  local more = jnp.array(np.cos(np.arange(638, "f32")))
  local twice = np.concatenate({host, host})
  local function check(f, want)
    np.testing.assert_allclose(np.asarray(jax.jit(f)(sines)), want, 1e-6, 1e-4)
  end
  check(function(a) return lax.concatenate({a, a}, 0) * 2.0 end, twice * 2)
  check(function(a) return jnp.sum(lax.concatenate({a, a}, 0)) end,
        np.sum(twice))
  check(function(a)
    return lax.add(lax.pad(a, 0.0, {{0, 643, 0}}), lax.concatenate({a, a,
      lax.slice(more, {0}, {6})}, 0))
  end, np.concatenate({host, np.zeros(643, "f32")}) +
       np.concatenate({twice, np.asarray(more)["0:6"]}))
end)

-- A program of `count` random operations on arrays of some shapes.
local function big_program(seed, count)
  return function(list)
    local state = seed -- each call draws the same
    local function random(n)
      state = (state * 1103515245 + 12345) % 2147483648
      return state // 65536 % n + 1
    end
    local values = table.move(list, 1, #list, 1, {})
    local function any() return values[random(#values)] end
    for _ = 1, count do
      local a, b, kind = any(), any(), random(9)
      local v
      if kind == 1 then v = jnp.sin(a) + b
      elseif kind == 2 then v = a * 0.5 - b
      elseif kind == 3 then v = jnp.maximum(a, b)
      elseif kind == 4 then v = jnp.tanh(a) * jnp.cos(b)
      elseif kind == 5 then v = a / (1.0 + jnp.abs(b))
      elseif kind == 6 then v = jnp.where(jnp.greater(a, b), a, -b)
      elseif kind == 7 then v = a - jnp.mean(b, -1, true)
      elseif kind == 8 then v = jnp.flip(a, 0) * 0.3 + b
      else v = jnp.transpose(jnp.transpose(a) * 0.7) + jnp.max(b, 0, true) end
      values[#values + 1] = jnp.tanh(v)
    end
    local total = values[#values]
    for i = #values - 12, #values - 1 do total = total + values[i] end
    return {total, values[#values - 3], jnp.sum(total)}
  end
end

test("large random programs", function()
  local list = {}
  for i = 1, 5 do
    local waves = np.sin(np.arange(37 * 64, "f32") * i)
    list[i] = jnp.array(np.reshape(waves, {37, 64}))
  end
  for seed = 1, 3 do
    local f = big_program(seed, 220)
    local want, got = f(list), jax.jit(f)(list)
    for i = 1, 2 do
      np.testing.assert_allclose(np.asarray(got[i]), np.asarray(want[i]), 1e-3,
                                 1e-3, "seed " .. seed)
    end
  end
end)

test("many arguments, and long chains", function()
  local list, sum = {}, np.zeros(33, "f32")
  for i = 1, 150 do
    local host = np.full(33, i * 0.01, "f32")
    list[i] = jnp.array(host)
    sum = sum + host
  end
  local function close_to(got, want)
    np.testing.assert_allclose(np.asarray(got), want, 1e-5)
  end
  close_to(jax.jit(function(t)
    local total = t[1]
    for i = 2, #t do total = total + t[i] end
    return total
  end)(list), sum)
  equal(jax.jit(function(t) return jnp.concatenate(t) end)(list).shape[1], 4950)
  close_to(jnp.concatenate(list)["4900:4910"], np.full(10, 1.49, "f32"))
  local many = jax.jit(function(t)
    local out = {}
    for i = 1, #t - 12 do
      out[i] = t[i]
      for k = 1, 12 do out[i] = out[i] + t[i + k] end
    end
    return out
  end)(list)
  close_to(many[100], np.full(33, 13 * 1.06, "f32"))
  close_to(jax.jit(function(a)
    for _ = 1, 200 do a = a * 0.5 + a * 0.5 end
    return a
  end)(list[7]), np.full(33, 0.07, "f32"))
end)

-- The process of the device in use: a child of this one. Nil where the system
-- does not list children.
local function server_pid()
  local me = io.open("/proc/self/stat"):read("n")
  local children = io.open(("/proc/%d/task/%d/children"):format(me, me))
  if not children then return nil end
  for pid in children:lines("n") do
    local command = io.open(("/proc/%d/cmdline"):format(pid)):read("a")
    if command:find("--server", 1, true) then return pid end
  end
end

test("an array of a device that was reset is lost, and says so", function()
  local lost = jnp.arange(8, "f32") * 2
  local f = jax.jit(function(y) return y + 1 end)
  close(f(lost), {1, 3, 5, 7, 9, 11, 13, 15})
  local pid = server_pid()
  if is_on_host or not pid then return end
  os.execute("kill -9 " .. pid .. "; sleep 0.1")
  pcall(function() return item(f(lost)[0]) end) -- finds the device dead
  raises("device-lost", "was lost when the GPU was reset",
         function() return f(lost) end)
  x = jnp.array({1.5, 2, 3}, "f32")
  close(f(x), {2.5, 3, 4})
end)

test("a sum is the same each time", function()
  local sines = jnp.array(np.sin(np.arange(100003, "f32")))
  local f = jax.jit(function(y) return jnp.sum(y) end)
  local first = item(f(sines))
  for _ = 1, 3 do equal(item(f(sines)), first) end
end)

test("few elements are summed without a loop", function()
  if is_on_host then return end
  local sum = jax.jit(function(v) return jnp.sum(v) end)
  local function is_unrolled(n)
    local source = sum:lower(jnp.ones(n)):cuda_source()
    return source:find("#pragma unroll\n", 1, true) ~= nil
  end
  equal(is_unrolled(10), true)
  equal(is_unrolled(15), true)
  equal(is_unrolled(31), false)
end)

test("small arrays have wide words where asked", function()
  if is_on_host then return end
  local f = jax.jit(function(y) return jnp.exp(y) / 3 end)
  local g = jax.jit(function(y) return jax.nn.softmax(y, 1) end)
  local a = jnp.arange(4096, "f32") / 4096
  local rows = jnp.reshape(a, {64, 64})
  local function source(h, y) return h:lower(y):cuda_source() end
  local narrow, narrow_rows = f(a), g(rows)
  equal(source(f, a):find("Pack", 1, true), nil)
  equal(source(g, rows):find("Pack", 1, true), nil)
  jax.config.update("jax_vectorize_small", true)
  local wide, wide_rows = f(a), g(rows)
  equal(source(f, a):find("Pack<float, 4>", 1, true) ~= nil, true)
  equal(source(g, rows):find("Pack<float, 4>", 1, true) ~= nil, true)
  jax.config.update("jax_vectorize_small", false)
  np.testing.assert_array_equal(np.asarray(wide), np.asarray(narrow))
  np.testing.assert_allclose(np.asarray(wide_rows), np.asarray(narrow_rows),
                             1e-6)
  local many = jnp.zeros({(1 << 16) + 4})
  equal(source(f, many):find("Pack<float, 4>", 1, true) ~= nil, true)
end)

test("angles near and far have one function", function()
  -- From 105615 on they are reduced in another way, which calls share.
  local a = jnp.array({0, -0.5, 105614.99, 105615, -105616, 1e10, -3e38,
                       math.huge, 0 / 0}, "f32")
  for _, name in ipairs{"sin", "cos", "tan"} do
    local f = jnp[name]
    local both = jax.jit(function(y) return f(y), f(y / 2) end)
    local near, half = both(a)
    for i, want in ipairs{jax.jit(f)(a), jax.jit(function(y)
      return f(y / 2)
    end)(a)} do
      np.testing.assert_array_equal(np.asarray(({near, half})[i]),
                                    np.asarray(want))
    end
    if not is_on_host then
      local source = both:lower(a):cuda_source()
      local _, called = source:gsub("near_" .. name .. "f%(v", "")
      equal(called, 2)
    end
  end
end)

test("one element goes with every shape, wherever it comes from", function()
  local y = jnp.arange(5, "f32")
  for name, option in pairs{squeeze = {0}, reshape = {}} do
    local f = jax.jit(function(q, s)
      return jax.lax.mul(jax.lax[name](q, option), s)
    end)
    equal(np.asarray(f(jnp.full({1}, 3.0), y)):tolist(), {0, 3, 6, 9, 12})
  end
end)

tap.done()
