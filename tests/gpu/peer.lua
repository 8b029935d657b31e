-- SPDX-License-Identifier: Apache-2.0
-- Copies between two GPUs, from the memory of one into the other's: values, odd
-- sizes, views, what is copied by way of the host, servers that are killed. For a
-- machine with two GPUs that reach each other; tests/cli/peer runs it with GPUs
-- whose memory is the host's. PEER_PATH=host: that they do not reach each other.
-- Usage: warpshop run --device cuda:0 tests/gpu/peer.lua
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local path = os.getenv("PEER_PATH") or "direct"

-- What f copies between host and devices, and on devices.
local function copied(f)
  local calls = cuda.calls(f)
  return {calls.bytes_to_host, calls.bytes_to_device, calls.bytes_on_device}
end

local function same(a, b)
  return np.array_equal(a:copy_to_host(), b:copy_to_host())
end

-- Ends the server of a device, as a kernel that faults does.
local function kill(id)
  local stat <close> = assert(io.open("/proc/self/stat"))
  local pid = stat:read("a"):match("%d+")
  local find = io.popen(  -- not the shell itself
    "pgrep -P " .. pid .. " -f '[-]-server 3 " .. id .. "'")
  local server = find:read("a"):match("%d+")
  find:close()
  assert(os.execute("kill -9 " .. server))
  for _ = 1, 3000 do -- until who uses it is told
    if not pcall(function() cuda.select(id) cuda.synchronize() end) then break end
    local now <close> = io.open("/proc/" .. server .. "/stat")
    if not now then break end
  end
  pcall(cuda.synchronize)
  cuda.select("cuda:0")
end

test("a device tells how it copies", function()
  local got, why = cuda.device():peer_path("cuda:1")
  equal(got, path)
  equal(type(why), path == "direct" and "nil" or "string")
  local other, reason = cuda.device():peer_path("virtual:0")
  equal({other, reason}, {"host", "only real GPUs of this machine do so"})
  raises("argument", "always reaches", function()
    cuda.device():peer_path("cuda:0")
  end)
end)

test("arrays of any size, both ways, without the host", function()
  for _, n in ipairs {1, 3, 511, 512, 513, 4097, 262144, 1000003, 5000011} do
    local a = cuda.to_device(np.arange(n, "f32"))
    local b, c
    local bytes = copied(function()
      b = a:to("cuda:1")
      c = b:to("cuda:0")
    end)
    equal({b.device, c.device}, {"cuda:1", "cuda:0"})
    equal(bytes, path == "direct" and {0, 0, 8 * n} or {8 * n, 8 * n, 0}, n)
    assert(same(a, b) and same(a, c))
    b:fill(7)
    assert(same(a, c)) -- nothing is shared
    assert(np.array_equal(b:copy_to_host(), np.full({n}, 7, "f32")))
  end
end)

test("types, and an array without elements", function()
  for _, t in ipairs {"bool", "i8", "u16", "f16", "i64", "f64"} do
    local a = cuda.to_device(np.arange(1001):astype(t))
    local b = a:to("cuda:1")
    equal({b.dtype, b.shape[1]}, {a.dtype, 1001})
    assert(same(a, b))
  end
  equal(cuda.to_device(np.zeros({0, 3})):to("cuda:1").shape, {0, 3})
end)

test("views: rows go from where they lie, others are packed", function()
  local host = np.arange(7 * 1003, "f64"):reshape(7, 1003)
  local a = cuda.to_device(host)
  local rows, columns = a["2:5"], a[":, ::2"]
  local b
  local bytes = copied(function() b = rows:to("cuda:1") end)
  equal(b.shape, {3, 1003})
  if path == "direct" then equal(bytes, {0, 0, 3 * 1003 * 8}) end
  assert(np.array_equal(b:copy_to_host(), host["2:5"]))
  local c = columns:to("cuda:1")
  assert(np.array_equal(c:copy_to_host(), host[":, ::2"]))
end)

test("memcpy_peer and copy_from, into a part of an array", function()
  local a = cuda.to_device(np.arange(3000, "i32"))
  cuda.select("cuda:1")
  local b = cuda.to_device(np.zeros({3, 3000}, "i32"))
  cuda.select("cuda:0")
  cuda.memcpy_peer(b[1], a)
  equal(b:copy_to_host():sum(1):tolist(), {0, 3000 * 2999 // 2, 0})
  b[2]:copy_from(a)
  equal(b:copy_to_host():sum(1):tolist(), {0, 4498500, 4498500})
  a:fill(-1) -- once the copy is done
  equal(b:copy_to_host():sum(1):tolist(), {0, 4498500, 4498500})
end)

test("in the order in which they were asked for, on either device", function()
  local a = cuda.device_array({3000001}, "f32")
  for i = 1, 5 do
    a:fill(i)
    local b = a:to("cuda:1")
    a:fill(-1)
    assert(np.array_equal(b:copy_to_host(), np.full({3000001}, i, "f32")))
    b:fill(10 * i)
    cuda.memcpy_peer(a, b)
    assert(np.array_equal(a:copy_to_host(), np.full({3000001}, 10 * i, "f32")))
  end
end)

test("many small ones, freed in between", function()
  for i = 1, 300 do
    local a = cuda.to_device(np.arange(i, "i64"))
    local b = a:to("cuda:1")
    if i % 3 == 0 then a:free() end
    equal(b:copy_to_host():sum(), i * (i - 1) // 2)
  end
end)

test("the one that has the copy is killed", function()
  local a = cuda.to_device(np.arange(100003))
  local b = a:to("cuda:1")
  a:fill(3) -- no host array has that
  kill("cuda:1")
  local is_there = pcall(function() return b:copy_to_host() end)
  equal(is_there, path == "host") -- that has a host array to restore it from
  local c = a:to("cuda:1") -- by a mapping of the new server
  equal(c:copy_to_host():sum(), 300009)
  if path == "direct" then
    equal(copied(function() a:to("cuda:1") end), {0, 0, 800024})
  end
end)

test("the one that it came from is killed", function()
  local a = cuda.device_array({100003}, "i64")
  a:copy_from(cuda.to_device(np.full({100003}, 5, "i64"))) -- on the device
  local b = a:to("cuda:1")
  kill("cuda:0")
  equal(b:copy_to_host():sum(), 500015)
  local lost = pcall(function() return a:to("cuda:1") end)
  equal(lost, false)
  local c = b:to("cuda:0")
  equal(c:copy_to_host():sum(), 500015)
end)

tap.done()
