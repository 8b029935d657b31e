-- SPDX-License-Identifier: Apache-2.0
-- The last block to finish adds the partial sums: __threadfence and a counter.
local t = ...
local m = t:module[==[
__device__ unsigned finished = 0;
__device__ volatile float parts[16];
__global__ void sum(const float *x, float *out, int n) {
  __shared__ float s[128];
  __shared__ bool is_last;
  int tid = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[tid] = v;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (tid < d) s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    unsigned ticket = atomicInc(&finished, gridDim.x);
    is_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && tid == 0) {
    float all = 0;
    for (int b = 0; b < gridDim.x; b++) all += parts[b];
    out[0] = all;
    finished = 0;
  }
}]==]
local n = 3000
local x = t:ints(n, -7, 9, "f32")
local sum = 0
for _, v in ipairs(x:tolist()) do sum = sum + v end
local out = np.zeros(1, "f32")
for round = 1, 2 do
  out[0] = 0
  m.sum[{9, 128}](x, out, n)
  t:same("sum " .. round, out, sum)
end
