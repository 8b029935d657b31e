-- SPDX-License-Identifier: Apache-2.0
-- Softmax of rows: the largest element first, then the sum of exponentials, in
-- one pass that keeps both.
local t = ...
t:approximate(1e-6)
local m = t:module[==[
#include <cmath>
__global__ void softmax(const float *in, float *out, int width) {
  __shared__ float bests[128], sums[128];
  const float *row = in + blockIdx.x * width;
  float best = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    float v = row[i];
    if (v > best) {
      sum *= expf(best - v);
      best = v;
    }
    sum += expf(v - best);
  }
  bests[threadIdx.x] = best;
  sums[threadIdx.x] = sum;
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) {
      float a = bests[threadIdx.x], b = bests[threadIdx.x + d], top = fmaxf(a, b);
      float left = a == -INFINITY ? 0 : sums[threadIdx.x] * expf(a - top);
      float right = b == -INFINITY ? 0 : sums[threadIdx.x + d] * expf(b - top);
      bests[threadIdx.x] = top;
      sums[threadIdx.x] = left + right;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = expf(row[i] - bests[0]) / sums[0];
}]==]
local rows, width = 4, 100
local x, out = t:floats(rows * width, -6, 6), np.zeros(rows * width, "f32")
m.softmax[{rows, 128}](x, out, width)
local v, want = t.values(x), {}
for r = 0, rows - 1 do
  local sum = 0
  for i = 0, width - 1 do sum = sum + math.exp(v[r * width + i]) end
  for i = 0, width - 1 do want[r * width + i] = math.exp(v[r * width + i]) / sum end
end
t:close("rows", out, want, 1e-6)
