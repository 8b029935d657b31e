-- SPDX-License-Identifier: Apache-2.0
-- Mistakes of the host: launches, copies, memory given back.
local function adder()
  return cuda.kernel[==[
__global__ void k(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + 1;
}]==]
end
local function x() return np.arange(1000, "f32") end

return {
{"block too large", "launch", host = function(bad)
  adder()[{1, bad and 2048 or 1024}](x(), x(), 1000)
end},
{"grid without blocks", "launch", host = function(bad)
  adder()[{bad and 0 or 8, 128}](x(), x(), 1000)
end},
{"too much shared memory", "launch", host = function(bad)
  adder(){grid = 8, block = 128, shared = bad and 1 << 20 or 1024}(x(), x(), 1000)
end},
{"argument left out", "argument", host = function(bad)
  if bad then adder()[{8, 128}](x(), 1000) else adder()[{8, 128}](x(), x(), 1000) end
end},
{"array of doubles for floats", "argument", host = function(bad)
  adder()[{8, 128}](np.arange(1000, bad and "f64" or "f32"), x(), 1000)
end},
{"array for a number", "argument", host = function(bad)
  adder()[{8, 128}](x(), x(), bad and x() or 1000)
end},
{"copy between arrays of two sizes", "argument", host = function(bad)
  cuda.device_array(1000, "f32"):copy_from(np.arange(bad and 999 or 1000, "f32"))
end},
{"copy to the host of another size", "argument", host = function(bad)
  local d = cuda.to_device(x())
  d:copy_to_host(np.zeros(bad and 1001 or 1000, "f32"))
end},
{"freed array in a launch", "use-after-free", host = function(bad)
  local d = cuda.to_device(x())
  if bad then d:free() end
  adder()[{8, 128}](d, x(), 1000)
end},
{"freed array copied", "use-after-free", host = function(bad)
  local d = cuda.to_device(x())
  if bad then d:free() end
  d:copy_to_host()
end},
}
