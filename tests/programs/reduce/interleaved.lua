-- SPDX-License-Identifier: Apache-2.0
-- The reduction ladder's first step: neighbours at growing strides, half of
-- the threads of each warp idle.
local t = ...
local m = t:module[==[
__global__ void reduce(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (tid % (2 * d) == 0) s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}]==]
local n = 1000
local x = t:ints(n, -50, 50)
local out = np.zeros(8, "i32")
m.reduce{grid = 8, block = 128, shared = 4 * 128}(x, out, n)
local v, want = t.values(x), t.fill(8, 0)
for i = 0, n - 1 do want[i // 128] = want[i // 128] + v[i] end
t:same("sums", out, want)
