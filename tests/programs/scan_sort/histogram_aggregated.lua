-- SPDX-License-Identifier: Apache-2.0
-- Lanes with the same bin find each other with __match_any_sync; one adds for all.
local t = ...
local m = t:module[==[
__global__ void histogram(const int *x, int *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = __activemask();
    unsigned peers = __match_any_sync(active, x[i]);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[x[i]], __popc(peers));
  }
}]==]
local n = 1111
local x, bins = t:ints(n, 0, 6), np.zeros(7, "i32")
m.histogram[{2, 96}](x, bins, n)
local want = t.fill(7, 0)
for _, v in ipairs(x:tolist()) do want[v] = want[v] + 1 end
t:same("bins", bins, want)
