-- SPDX-License-Identifier: Apache-2.0
-- Each element counts those that stand before it: tiles through shared memory.
local t = ...
local m = t:module[==[
__global__ void rank_sort(const double *x, double *out, int n) {
  __shared__ double tile[64];
  int i = blockIdx.x * 64 + threadIdx.x, rank = 0;
  double mine = i < n ? x[i] : 0;
  for (int base = 0; base < n; base += 64) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(64, n - base); k++)
      rank += tile[k] < mine || (tile[k] == mine && base + k < i);
    __syncthreads();
  }
  if (i < n) out[rank] = mine;
}]==]
local n = 150
local x, out = t:floats(n, -1, 1, "f64"), np.zeros(150, "f64")
m.rank_sort[{3, 64}](x, out, n)
local want = x:tolist()
table.sort(want)
t:same("sorted", out, np.array(want, "f64"))
