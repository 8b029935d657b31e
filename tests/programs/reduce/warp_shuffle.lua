-- SPDX-License-Identifier: Apache-2.0
-- A warp sums with __shfl_down_sync, a block with one cell for each warp.
local t = ...
local m = t:module[==[
__device__ float warp_sum(float v) {
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
__device__ float block_sum(float v) {
  static __shared__ float part[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  v = warp_sum(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0;
  if (warp == 0) v = warp_sum(v);
  return v;
}
__global__ void sum(const float *x, float *out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
  v = block_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}]==]
local n, grid, block = 4321, 3, 160
local x = t:ints(n, 0, 15, "f32")
local out = np.zeros(grid, "f32")
m.sum[{grid, block}](x, out, n)
local v, want = t.values(x), t.fill(grid, 0)
for i = 0, n - 1 do
  local b = i % (grid * block) // block
  want[b] = want[b] + v[i]
end
t:same("sums", out, want)
