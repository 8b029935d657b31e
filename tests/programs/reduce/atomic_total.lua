-- SPDX-License-Identifier: Apache-2.0
-- One atomicAdd for each warp, after a butterfly of __shfl_xor_sync; minimum
-- and maximum by atomics of every thread.
local t = ...
local m = t:module[==[
__global__ void total(const int *x, int *sum, int *low, int *high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : 0;
  if (i < n) {
    atomicMin(low, v);
    atomicMax(high, v);
  }
  for (int d = 1; d < 32; d <<= 1) v += __shfl_xor_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
}]==]
local n = 777
local x = t:ints(n, -5000, 5000)
local sum, low, high = np.zeros(1, "i32"), np.full(1, 99999, "i32"), np.full(1, -99999, "i32")
m.total[{4, 224}](x, sum, low, high, n)
local v = x:tolist()
local s = 0
for i = 1, n do s = s + v[i] end
t:same("sum", sum, s)
t:same("low", low, math.min(table.unpack(v)))
t:same("high", high, math.max(table.unpack(v)))
