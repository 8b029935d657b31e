-- SPDX-License-Identifier: Apache-2.0
-- An inclusive scan with two buffers that change places.
local t = ...
local m = t:module[==[
__global__ void scan(const int *in, int *out, int n) {
  extern __shared__ int temp[];
  int tid = threadIdx.x, to = 0, from = 1;
  temp[tid] = tid < n ? in[tid] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    to = 1 - to;
    from = 1 - to;
    int v = temp[from * blockDim.x + tid];
    if (tid >= d) v += temp[from * blockDim.x + tid - d];
    temp[to * blockDim.x + tid] = v;
    __syncthreads();
  }
  if (tid < n) out[tid] = temp[to * blockDim.x + tid];
}]==]
local n = 200
local x, out = t:ints(n, -10, 10), np.zeros(n, "i32")
m.scan{grid = 1, block = 256, shared = 2 * 256 * 4}(x, out, n)
local v, want, sum = t.values(x), {}, 0
for i = 0, n - 1 do
  sum = sum + v[i]
  want[i] = sum
end
t:same("scan", out, want)
