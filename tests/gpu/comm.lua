-- SPDX-License-Identifier: Apache-2.0
-- cuda.comm by NCCL beside the host's own way, on two real GPUs or more: every
-- operation, type and odd size, copies and fills before and behind, jax's
-- collectives, a rank that is killed, servers that start again. tests/cli/comm
-- runs it without a GPU: COMM_DEVICES names devices that stand for some,
-- COMM_TYPES what they can add and COMM_LARGEST how many elements are enough.
-- Usage: NCCL_NVLS_ENABLE=0 warpshop run --device cuda:0 tests/gpu/comm.lua
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local ids = {}
for id in (os.getenv("COMM_DEVICES") or ""):gmatch("[^,]+") do
  ids[#ids + 1] = id
end
if not ids[1] then
  for _, d in ipairs(cuda.devices()) do
    local id = type(d) == "string" and d or d.id
    if id:find("^cuda:") then ids[#ids + 1] = id end
  end
end
if #ids < 2 then
  print("1..0 # SKIP there are no two real GPUs here")
  os.exit(0)
end
local types = {}
local named = os.getenv("COMM_TYPES") or
              "f32 f64 f16 bf16 i8 u8 i32 u32 i64 u64"
for t in named:gmatch("%S+") do types[#types + 1] = t end

local count = #ids
local comm = cuda.comm(ids, {transport = "nccl"})
local by_host = cuda.comm(ids, {transport = "host"})
print("# " .. tostring(comm))

-- Small whole numbers, so that no order of adding them matters.
local function bring(shape, dtype, least, kinds)
  local list = {}
  for r, id in ipairs(ids) do
    local size = 1
    for _, n in ipairs(shape) do size = size * n end
    local x = np.fmod(np.arange(size, "f32") * r + r, kinds or 5)
    if least then x = x + least end
    list[r] = x:reshape(shape):astype(dtype):to(id)
  end
  return list
end

local function same(got, want, what)
  if type(got) ~= "table" then got, want = {got}, {want} end
  equal(#got, #want, what)
  for r, x in ipairs(got) do
    equal({x.device, x.dtype, x.shape}, {want[r].device, want[r].dtype,
                                         want[r].shape}, what)
    assert(np.array_equal(x:copy_to_host(), want[r]:copy_to_host()),
           what .. ", rank " .. r - 1)
  end
end

local function both(what, f) same(f(comm), f(by_host), what) end

local largest = tonumber(os.getenv("COMM_LARGEST")) or 5000011
local sizes = {1, 2, 3, 127, 1024, 4099}
for _, n in ipairs{65537, 1000003, largest} do
  if n <= largest then sizes[#sizes + 1] = n end
end

for _, t in ipairs(types) do
  test("each operation in " .. t, function()
    for _, n in ipairs(sizes) do
      local what = ("%s of %d"):format(t, n)
      local x = bring({n}, t)
      both(what .. ": sum", function(c) return c:all_reduce(x) end)
      both(what .. ": reduce", function(c)
        return c:reduce(x, {root = count - 1})
      end)
      both(what .. ": broadcast", function(c)
        return c:broadcast(x[2], {root = 1})
      end)
      both(what .. ": all_gather", function(c) return c:all_gather(x) end)
      local y = bring({count * n}, t)
      both(what .. ": reduce_scatter", function(c)
        return c:reduce_scatter(y)
      end)
    end
    for _, op in ipairs{"prod", "min", "max"} do
      local x = bring({1025}, t, 1, 2)
      both(t .. ": " .. op, function(c) return c:all_reduce(x, {op = op}) end)
    end
  end)
end

test("what NCCL lacks goes by the host", function()
  for _, t in ipairs{"i16", "u16"} do
    local x = bring({33}, t)
    both(t, function(c) return c:all_reduce(x) end)
    both(t, function(c) return c:all_gather(x) end)
  end
  local x = bring({33}, "i32")
  both("avg", function(c) return c:all_reduce(x, {op = "avg"}) end)
  both("none", function(c) return c:all_gather(bring({0}, "f32")) end)
end)

test("averages of floats", function()
  local x = bring({1000}, "f32")
  local got = comm:all_reduce(x, {op = "avg"})[1]:copy_to_host()
  local want = by_host:all_reduce(x, {op = "avg"})[1]:copy_to_host()
  assert(np.allclose(got, want))
end)

test("more axes, into arrays that are there, in place", function()
  local x, out = bring({4, 3}, "f32"), bring({4 * count, 3}, "f32")
  both("gathered", function(c) return c:all_gather(x) end)
  local want = by_host:all_gather(x)
  local got = comm:all_gather(x, {out = out})
  for r = 1, count do assert(rawequal(got[r], out[r])) end
  same(out, want, "out")
  want = by_host:all_reduce(x)
  same(comm:all_reduce(x, {out = x}), want, "in place")
end)

test("views: rows as they lie, gaps and overlaps by way of the host", function()
  local x, rows, columns = bring({6, 4}, "f32"), {}, {}
  for r = 1, count do
    rows[r], columns[r] = x[r]["2:5"], x[r][":, 1:3"]
  end
  both("rows", function(c) return c:all_reduce(rows) end)
  both("columns", function(c) return c:all_reduce(columns) end)
  both("rows gathered", function(c) return c:all_gather(rows) end)
  -- The results lie over what they are made of.
  local long, first, out = bring({4 * count + 4}, "f32"), {}, {}
  for r = 1, count do
    first[r] = long[r]["0:4"]
    out[r] = long[r][("2:%d"):format(2 + 4 * count)]
  end
  local want = by_host:all_gather(first)
  local calls = cuda.calls(function()
    same(comm:all_gather(first, {out = out}), want, "over each other")
  end)
  local read = 2 * 16 * count * count -- by same()
  equal(calls.bytes_to_host, read + 16 * count)
  calls = cuda.calls(function() comm:all_reduce(rows) end)
  equal(calls.bytes_to_host, 0)
end)

test("from each rank to each, in the order of the sends", function()
  for from = 0, count - 1 do
    for to = 0, count - 1 do
      local x = bring({1001}, "f32")[from + 1]
      comm[from]:send(x, to)
      local before = x:copy_to_host()
      x:fill(9)
      comm[from]:send(x, to)
      assert(np.array_equal(comm[to]:recv(nil, from):copy_to_host(), before))
      equal(comm[to]:recv(nil, from):copy_to_host()[1000], 9.0)
    end
  end
end)

test("two hundred in a row, and none waited for", function()
  local x = bring({257}, "f32")
  local y = x
  for _ = 1, 200 do y = comm:all_reduce(y, {op = "max"}) end
  same(y, by_host:all_reduce(x, {op = "max"}), "max")
end)

test("behind copies and fills on the same device", function()
  local x = bring({100003}, "f32")
  for r = 1, count do x[r]:fill(r) end
  local y = comm:all_reduce(x)
  for r = 1, count do
    x[r]:fill(0)
    equal(y[r]:copy_to_host()[100002], count * (count + 1) / 2)
  end
end)

-- ---- jax ----

if os.getenv("COMM_DEVICES") then
  rawset(cuda, "devices", function() return ids end)
end

-- f on all ranks at once, each with its rows of x; and the bytes that went to
-- the host: by way of it all ranks' would, more than once.
local function on_mesh(f, x, out_specs)
  local mesh = jax.sharding.Mesh(jax.devices(), "i")
  local g = jax.shard_map(f, {mesh = mesh, in_specs = {jax.P("i")},
                              out_specs = out_specs})
  local y
  local calls = cuda.calls(function() y = g(x) end)
  return np.asarray(y), calls.bytes_to_host
end

test("psum, pmax, pmin and their derivative", function()
  local x = jnp.fmod(jnp.arange(count * 30001, "f32"), 7):reshape{count, 30001}
  local host = np.asarray(x)
  for name, f in pairs{psum = np.sum, pmax = np.max, pmin = np.min} do
    local y, bytes = on_mesh(function(part)
      return jax.lax[name](part, "i")
    end, x, jax.P())
    assert(np.array_equal(y:reshape{30001}, f(host, 0)), name)
    -- Rows on their way to their devices, where GPUs do not reach each other.
    assert(bytes < x.size * 4, name .. " goes by way of the host")
  end
  local mesh = jax.sharding.Mesh(jax.devices(), "i")
  local f = jax.shard_map(function(part)
    return jax.lax.psum(jnp.sum(part * part), "i")
  end, {mesh = mesh, in_specs = {jax.P("i")}, out_specs = jax.P()})
  assert(np.allclose(np.asarray(jax.grad(f)(x)), host * 2))
end)

test("all_gather, psum_scatter and ppermute", function()
  local x = jnp.arange(count * count * 6, "f32"):reshape{count * count, 6}
  local host = np.asarray(x)
  local y = on_mesh(function(part)
    return jax.lax.all_gather(part, "i", {tiled = true})
  end, x, jax.P("i"))
  for r = 0, count - 1 do
    local rows = ("%d:%d"):format(r * count * count, (r + 1) * count * count)
    assert(np.array_equal(y[rows], host), "rank " .. r)
  end
  y = on_mesh(function(part)
    return jax.lax.psum_scatter(part, "i", {tiled = true})
  end, x, jax.P("i"))
  assert(np.array_equal(y, np.sum(host:reshape{count, count, 6}, 0)))
  local ring = {}
  for r = 0, count - 2 do ring[r + 1] = {r, r + 1} end
  y = on_mesh(function(part)
    return jax.lax.ppermute(part, "i", ring)
  end, x, jax.P("i"))
  equal(np.sum(y[("0:%d"):format(count)]), 0.0)
  assert(np.array_equal(y[("%d:"):format(count)],
                        host[(":%d"):format((count - 1) * count)]))
end)

test("a transpose by all_to_all", function()
  local n = count * 5
  local x = jnp.arange(n * n, "f32"):reshape{n, n}
  local host = np.asarray(x)
  local y, bytes = on_mesh(function(part)
    local cut = part:reshape{5, count, 5}:transpose{1, 2, 0}
    local got = jax.lax.all_to_all(cut, "i", 0, 0, {tiled = true})
    return got:transpose{1, 0, 2}:reshape{5, n}
  end, x, jax.P("i"))
  assert(np.array_equal(y, host.T), "a transpose")
  assert(bytes <= 2 * n * n * 4, "it goes by way of the host")
end)

test("along other axes, in rows and as axes of their own", function()
  local n = count
  local x = jnp.arange(n * 2 * n * 3, "f32"):reshape{n * 2, n * 3}
  local host = np.asarray(x)
  local function parts(r) return host[("%d:%d"):format(2 * r, 2 * r + 2)] end
  local list, sum = {}, nil
  for r = 0, n - 1 do
    list[r + 1] = parts(r)
    sum = sum and sum + parts(r) or parts(r)
  end
  local function first_two(options)
    return on_mesh(function(part)
      return jax.lax.all_gather(part, "i", options)
    end, x, jax.P("i"))
  end
  local y = first_two{axis = 1, tiled = true}
  assert(np.array_equal(y["0:2"], np.concatenate(list, 1)))
  y = first_two{axis = 1}
  assert(np.array_equal(y["0:2"], np.stack(list, 1)))
  y = first_two{axis = 2}
  assert(np.array_equal(y["0:2"], np.stack(list, 2)))
  y = on_mesh(function(part)
    return jax.lax.psum_scatter(part, "i",
                                {scatter_dimension = 1, tiled = true})
  end, x, jax.P(nil, "i"))
  assert(np.array_equal(y, sum))
  local z = jnp.arange(n * 2 * n, "f32"):reshape{n * 2, n}
  y = on_mesh(function(part)
    return jax.lax.psum_scatter(part, "i", {scatter_dimension = 1})
  end, z, jax.P("i"))
  local want = np.sum(np.asarray(z):reshape{n, 2, n}, 0)
  assert(np.array_equal(y, np.transpose(want):reshape{2 * n}))
end)

test("a loop of exchanges between compiled steps", function()
  local x = jnp.ones({count, 1000}, "f32")
  local y = on_mesh(jax.jit(function(part)
    return jax.lax.fori_loop(0, 5, function(_, z)
      return z + jax.lax.pmean(z, "i")
    end, part)
  end), x, jax.P("i"))
  equal({np.min(y), np.max(y)}, {32.0, 32.0})
end)

-- ---- Servers that end ----

-- (The shell between has the pattern in its own command line.)
local function pid_of(id)
  local stat <close> = assert(io.open("/proc/self/stat"))
  local own = stat:read("a"):match("%d+")
  local find <close> = io.popen("pgrep -P " .. own .. " -f -- '[-]-server 3 " ..
                                id .. " '")
  return find:read("a"):match("%d+")
end

local function whole_again()
  local x = bring({1001}, "f32")
  same(comm:all_reduce(x), by_host:all_reduce(x), "again")
  equal(comm.transport ~= "host", true)
end

-- After a death each rank may have something to tell, in whatever order.
local function whole_after_a_death()
  for _ = 1, 2 * count do
    if pcall(whole_again) then return end
  end
  whole_again()
end

test("a group is made once", function()
  local before = pid_of(ids[1])
  whole_again()
  cuda.comm(ids)
  equal(pid_of(ids[1]), before)
end)

test("arrays are carried over when a device joins another group", function()
  local x = bring({1003}, "f64")
  for r = 1, count do x[r]:fill(r + 0.5) end
  local before = pid_of(ids[2])
  local turned = {ids[2], ids[1]}
  local pair = cuda.comm(turned, {transport = "nccl"})
  assert(pid_of(ids[2]) ~= before)
  for r = 1, count do equal(x[r]:copy_to_host()[1002], r + 0.5) end
  local y = pair:all_reduce{x[2], x[1]}
  equal({y[1].device, y[1]:copy_to_host()[7]}, {ids[2], 4.0})
  whole_again()
end)

test("a rank that is killed between two operations", function()
  whole_again()
  os.execute("kill -9 " .. pid_of(ids[2]))
  whole_after_a_death()
end)

-- The first rank's operation waits for the second's, which never comes: it is
-- queued behind the death.
test("a rank that is killed while others wait for it", function()
  for round = 1, 3 do
    local x = bring({largest}, "f32")
    local y = comm:all_reduce(x)
    for _ = 1, 20 do y = comm:all_reduce(y, {op = "max"}) end
    os.execute("kill -9 " .. pid_of(ids[count]))
    local told = 0
    for r = 1, count do
      local ok = pcall(function() y[r]:copy_to_host() end)
      if not ok then told = told + 1 end
    end
    assert(told > 0, "somebody is told, round " .. round)
    assert(np.array_equal(x[1]:copy_to_host(),
                          bring({largest}, "f32")[1]:copy_to_host()))
    whole_after_a_death()
  end
end)

test("what a group refuses", function()
  raises("argument", "transport is", function()
    cuda.comm(ids, {transport = "tcp"})
  end)
  raises("unsupported", "no NCCL between", function()
    cuda.comm({"virtual:0", "virtual:1"}, {transport = "nccl"})
  end)
end)

tap.done()
