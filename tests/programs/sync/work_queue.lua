-- SPDX-License-Identifier: Apache-2.0
-- Blocks take work from a counter until there is none left: the amount of work
-- differs from item to item.
local t = ...
local m = t:module[==[
__device__ int head;
__global__ void collatz(const int *x, int *steps, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(&head, 32);
    __syncthreads();
    int i = item + threadIdx.x;
    __syncthreads();
    if (i - (int)threadIdx.x >= n) return;
    if (i < n) {
      long long v = x[i];
      int c = 0;
      for (; v != 1; c++) v = v % 2 ? 3 * v + 1 : v / 2;
      steps[i] = c;
    }
  }
}]==]
local n = 150
local x, steps = t:ints(n, 1, 300), np.zeros(n, "i32")
m.collatz[{3, 32}](x, steps, n)
local v = t.values(x)
t:same("steps", steps, t.fill(n, function(i)
  local u, c = v[i], 0
  while u ~= 1 do u, c = u % 2 == 1 and 3 * u + 1 or u // 2, c + 1 end
  return c
end))
