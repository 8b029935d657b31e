-- SPDX-License-Identifier: Apache-2.0
-- Where the largest element is: pairs of value and place, as a struct in shared
-- memory, then packed into 64 bits for atomicMax.
local t = ...
local m = t:module[==[
struct Best { int value, at; };
__device__ Best better(Best a, Best b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.at < b.at ? a : b;
}
__global__ void argmax(const int *x, unsigned long long *best, int n) {
  __shared__ Best s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? Best{x[i], i} : Best{-1, 0x7fffffff};
  __syncthreads();
  for (int d = 32; d; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] = better(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicMax(best, (unsigned long long)s[0].value << 32 | (0xffffffffu - (unsigned)s[0].at));
}]==]
local n = 901
local x = t:ints(n, 0, 300)
local best = np.zeros(1, "u64")
m.argmax[{15, 64}](x, best, n)
local v, at = t.values(x), 0
for i = 1, n - 1 do
  if v[i] > v[at] then at = i end
end
t:same("best", best, v[at] << 32 | 0xffffffff - at)
