-- SPDX-License-Identifier: Apache-2.0
-- A dot product of doubles: products by grid stride, a tree, the host adds.
local t = ...
local m = t:module[==[
#define THREADS 128
__global__ void dot(int n, const double *a, const double *b, double *c) {
  __shared__ double cache[THREADS];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cacheIndex = threadIdx.x;
  double temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}]==]
local n = 2500
local a, b = t:floats(n, -1, 1, "f64"), t:floats(n, 0, 2, "f64")
local c = np.zeros(6, "f64")
m.dot[{6, 128}](n, a, b, c)
local x, y, want = t.values(a), t.values(b), t.fill(6, 0)
for i = 0, n - 1 do
  local k = i % (6 * 128) // 128
  want[k] = want[k] + x[i] * y[i]
end
t:close("parts", c, want, 1e-13)
