-- SPDX-License-Identifier: Apache-2.0
-- From process start to a first result that is right (bench/run times it).
local add = cuda.kernel [==[
extern "C" __global__ void add(const float *x, const float *y,
                               float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i] + 0;
}
]==]
local x = np.arange(4096, "f32")
local dx, dy = cuda.to_device(x), cuda.to_device(x)
local dout = cuda.device_array_like(dx)
add[{32, 128}](dx, dy, dout, 4096)
assert(np.array_equal(dout:copy_to_host(), x + x))
print("right")
