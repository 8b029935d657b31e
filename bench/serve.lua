-- SPDX-License-Identifier: Apache-2.0
-- warpshop's side of bench/run: answers the requests of bench/bare.c.
local SOURCE = [==[
extern "C" __global__ void add(const float *x, const float *y,
                               float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i] + %d;
}
]==]
local COUNT = 4096
local now = cuda.clock -- seconds

-- Guarded arrays end at an unmapped page; the bare program has plain ones.
cuda.set_guarded(false)
local x = np.arange(COUNT, "f32")
local dx, dy = cuda.to_device(x), cuda.to_device(x)
local dout = cuda.device_array_like(dx)
local add = cuda.kernel(SOURCE:format(0))
add[{COUNT // 128, 128}](dx, dy, dout, COUNT)
cuda.synchronize()

local function launches(n, with_wait)
  add[{32, 128}](dx, dy, dout, COUNT) -- nobody sleeps any more
  cuda.synchronize()
  local start = now()
  for _ = 1, n do add[{32, 128}](dx, dy, dout, COUNT) end
  local queued = now()
  cuda.synchronize()
  return ((with_wait and now() or queued) - start) / n * 1e6
end

local hosts = {} -- plain host arrays and their device copies, by size
local function pair(bytes)
  if not hosts[bytes] then
    local host = np.full(bytes // 4, 1, "f32")
    hosts[bytes] = {host, cuda.to_device(host)}
  end
  return table.unpack(hosts[bytes])
end

local answer = {
  launches = function(n) return launches(n, true) end,
  calls = function(n) return launches(n, false) end,
  wait = function(n)
    local start = now()
    for _ = 1, n do
      add[{32, 128}](dx, dy, dout, COUNT)
      cuda.synchronize()
    end
    return (now() - start) / n * 1e6
  end,
  kernel = function(seed)
    local start = now()
    local k = cuda.kernel(SOURCE:format(seed))
    k[{32, 128}](dx, dy, dout, COUNT)
    cuda.synchronize()
    local ms = (now() - start) * 1e3
    assert(np.array_equal(dout:copy_to_host(), x + x + seed))
    return ms
  end,
  cached = function(seed)
    local start = now()
    local k = cuda.kernel(SOURCE:format(seed))
    local ms = (now() - start) * 1e3
    assert(k.is_cached)
    return ms
  end,
  copy = function(bytes)
    local host, device = pair(bytes)
    local start = now()
    device:copy_from(host)
    cuda.synchronize()
    return bytes / (now() - start) / 1e9
  end,
  back = function(bytes)
    local host, device = pair(bytes)
    local start = now()
    device:copy_to_host(host)
    return bytes / (now() - start) / 1e9
  end,
}

for line in io.lines() do
  local what, n = line:match("^(%w+) (%d+)$")
  io.write(("%.4f\n"):format(answer[what](math.tointeger(n))))
  io.flush()
end
