-- SPDX-License-Identifier: Apache-2.0
-- cuda.calls(f): launches, copies and their bytes, memory, waits, compiles and
-- traces of what f does, and of nothing else.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local add = cuda.kernel[==[
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}]==]
local N <const> = 1000

-- The counters that are not 0, "name=number", by name.
local function counted(f)
  local c, list = cuda.calls(f), {}
  for name, n in pairs(c) do
    if n ~= 0 and name ~= "chain" then list[#list + 1] = name .. "=" .. n end
  end
  table.sort(list)
  return table.concat(list, " ")
end

test("nothing", function()
  equal(counted(function() end), "")
  equal(tostring(cuda.calls(function() end)), "nothing was asked for")
  raises("lua", "function expected", function() cuda.calls(3) end)
end)

test("copies by hand", function()
  local x = np.arange(N, "f32")
  local d = cuda.to_device(x)
  equal(counted(function() d:copy_from(x) end),
        "bytes_to_device=4000 copies=1")
  equal(counted(function() d:copy_to_host() end),
        "bytes_to_host=4000 copies=1")
  equal(counted(function() d["0:10"]:copy_to_host() end),
        "bytes_to_host=40 copies=1")
  equal(counted(function() d:copy_from(d) end),
        "bytes_on_device=4000 copies=1")
  equal(counted(function() d:fill(1) end), "")
end)

test("launches with device arrays, and with host arrays", function()
  local x, out = np.arange(N, "f32"), np.zeros(N, "f32")
  local d = cuda.to_device(x)
  add[{8, 128}](d, d, d, N)
  equal(counted(function()
    for _ = 1, 3 do add[{8, 128}](d, d, d, N) end
    cuda.synchronize()
  end), "launches=3 synchronizations=1")
  equal(counted(function() add[{8, 128}](x, x, out, N) end),
        "allocations=2 bytes_to_device=8000 bytes_to_host=4000 copies=3 " ..
        "launches=1 peak_bytes=8000")
  equal(counted(function() add[{8, 128}](x, x, out, N) end),
        "bytes_to_host=4000 copies=1 launches=1", "nothing has changed")
end)

test("the peak is of what is in use", function()
  equal(cuda.calls(function()
    for _ = 1, 20 do
      local d = cuda.device_array(N, "f32")
      d:fill(0)
    end
  end).peak_bytes, 4000, "garbage")
  equal(cuda.calls(function()
    local keep = {}
    for i = 1, 5 do keep[i] = cuda.device_array(N, "f32") end
    equal(#keep, 5)
  end).peak_bytes, 20000, "kept")
  equal(cuda.calls(function()
    for _ = 1, 5 do
      local d = cuda.device_array(N, "f32")
      d:free()
    end
  end).peak_bytes, 4000, "freed")
  local before = cuda.device_array(N, "f32")
  equal(cuda.calls(function()
    local _ = cuda.device_array(10, "f32")
  end).peak_bytes, 40, "beyond what was there")
  before:free()
end)

test("streams, events and the device are waited for", function()
  local s, e = cuda.stream(), cuda.event()
  equal(counted(function()
    s:synchronize()
    e:record(s)
    e:synchronize()
    cuda.synchronize()
  end), "synchronizations=3")
end)

test("the longest row of commands that wait for each other", function()
  if not cuda.device().is_checked then return end
  local x, d = np.arange(N, "f32"), {}
  for i = 1, 3 do d[i] = cuda.to_device(x) end
  local out = cuda.pinned_array({3, N}, "f32")
  local function steps(streams)
    for i = 1, 3 do
      local s = streams[i]
      d[i]:copy_from(x, s)
      add{grid = 8, block = 128, stream = s}(d[i], d[i], d[i], N)
      d[i]:copy_to_host(out[i - 1], s)
    end
    cuda.synchronize()
  end
  local function chain(f) return cuda.calls(f).chain end
  local s, t, u = cuda.stream(), cuda.stream(), cuda.stream()
  equal(chain(function() steps{} end), 9, "the default stream")
  equal(chain(function() steps{s, s, s} end), 9, "one stream")
  equal(chain(function() steps{s, t, s} end), 6, "two streams")
  equal(chain(function() steps{s, t, u} end), 3, "three streams")
  equal(chain(function()
    for _ = 1, 2 do steps{s, t, u} end
  end), 6, "twice, with a wait between")
  equal(chain(function()
    local e = cuda.event()
    d[1]:copy_from(x, s)
    e:record(s)
    t:wait(e)
    d[2]:copy_from(d[1], t)
  end), 2, "an event")
  equal(chain(function() add[{8, 128}](x, x, np.zeros(N, "f32"), N) end), 4,
        "a launch with host arrays: two in, the kernel, one back")
end)

test("compiles and traces", function()
  equal(cuda.calls(function()
    cuda.kernel("__global__ void k(int *x) { x[0] = 7; }")[{1, 1}](
      cuda.device_array(1, "i32"))
  end).compiles, 1)
  local f = jax.jit(function(x) return x * 2 + 1 end)
  local x, y = jnp.arange(4, "f32"), jnp.arange(5, "f32")
  local c = cuda.calls(function() f(x); f(x); f(y); f(y) end)
  equal(c.traces, 2)
  equal(c.launches, 4)
  equal(cuda.calls(function() f(x) end).traces, 0)
  equal(cuda.calls(function()
    jax.random.normal(jax.random.key(0), {3, 5, 7})
  end).traces, 0, "the library's own")
end)

test("one inside another, and errors", function()
  local x, inner = np.arange(N, "f32"), nil
  local outer = cuda.calls(function()
    cuda.to_device(x)
    inner = cuda.calls(function() cuda.to_device(x["0:10"]) end)
    cuda.to_device(x)
  end)
  equal(inner.bytes_to_device, 40)
  equal(outer.bytes_to_device, 8040)
  equal(outer.peak_bytes, 4000)
  raises("lua", "oh", function()
    cuda.calls(function() error("oh") end)
  end)
  equal(cuda.calls(function() cuda.to_device(x) end).copies, 1)
end)

tap.done()
