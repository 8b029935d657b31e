-- SPDX-License-Identifier: Apache-2.0
-- All shortest paths: one launch for each middle vertex. Row and column k do
-- not change in round k, so that no thread reads what another writes.
local t = ...
local m = t:module[==[
__global__ void middle(unsigned short *d, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}]==]
local n = 20
local x = t:ints(n * n, 1, 90, "u16")
for i = 0, n - 1 do x[i * n + i] = 0 end
local v, d = t.values(x), cuda.to_device(x)
for k = 0, n - 1 do
  m.middle[{{3, 3}, {8, 8}}](d, n, k)
  for i = 0, n * n - 1 do v[i] = math.min(v[i], v[i // n * n + k] + v[k * n + i % n]) end
end
t:same("distances", d, v)
