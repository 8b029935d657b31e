-- SPDX-License-Identifier: Apache-2.0
-- A block scans by __shfl_up_sync: within warps, then over the warps' sums.
local t = ...
local m = t:module[==[
__device__ float warp_scan(float v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    float u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  return v;
}
__global__ __launch_bounds__(256) void scan(float *x, int n) {
  __shared__ float sums[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = threadIdx.x < n ? x[threadIdx.x] : 0;
  v = warp_scan(v, lane);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float s = lane < 8 ? sums[lane] : 0;
    s = warp_scan(s, lane);
    if (lane < 8) sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  if (threadIdx.x < n) x[threadIdx.x] = v;
}]==]
local n = 239
local x = t:ints(n, -4, 12, "f32")
local v, want, sum = t.values(x), {}, 0
for i = 0, n - 1 do
  sum = sum + v[i]
  want[i] = sum
end
m.scan[{1, 256}](x, n)
t:same("scan", x, want)
