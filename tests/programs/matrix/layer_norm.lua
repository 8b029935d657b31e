-- SPDX-License-Identifier: Apache-2.0
-- Layer normalisation of half-precision rows by Welford's method.
local t = ...
t:approximate(1e-3)
local m = t:module[==[
#include <cuda_fp16.h>
__global__ void layer_norm(const __half *in, __half *out, int width, float eps) {
  float mean = 0, m2 = 0;
  int count = 0;
  for (int i = threadIdx.x; i < width; i += 32) {
    float v = __half2float(in[blockIdx.x * width + i]), d = v - mean;
    mean += d / ++count;
    m2 += d * (v - mean);
  }
  for (int d = 16; d; d >>= 1) {
    float other = __shfl_xor_sync(~0u, mean, d), other2 = __shfl_xor_sync(~0u, m2, d);
    int n = __shfl_xor_sync(~0u, count, d);
    float delta = other - mean, all = fmaxf(count + n, 1);
    m2 += other2 + delta * delta * count * n / all;
    mean = (mean * count + other * n) / all;
    count += n;
  }
  float scale = rsqrtf(m2 / count + eps);
  for (int i = threadIdx.x; i < width; i += 32)
    out[blockIdx.x * width + i] =
        __float2half((__half2float(in[blockIdx.x * width + i]) - mean) * scale);
}]==]
local rows, width = 6, 70
local x, out = t:floats(rows * width, -4, 6, "f16"), np.zeros(rows * width, "f16")
m.layer_norm[{rows, 32}](x, out, width, 1e-5)
local v, want = t.values(x), {}
for r = 0, rows - 1 do
  local mean, var = 0, 0
  for i = 0, width - 1 do mean = mean + v[r * width + i] / width end
  for i = 0, width - 1 do var = var + (v[r * width + i] - mean) ^ 2 / width end
  for i = 0, width - 1 do
    want[r * width + i] = (v[r * width + i] - mean) / math.sqrt(var + 1e-5)
  end
end
t:close("rows", out, want, 2e-3)
