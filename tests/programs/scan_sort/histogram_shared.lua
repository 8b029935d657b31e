-- SPDX-License-Identifier: Apache-2.0
-- A histogram of bytes, private to each block until its end.
local t = ...
local m = t:module[==[
__global__ void histogram(const unsigned char *buffer, long size, unsigned *bins) {
  __shared__ unsigned temp[256];
  temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int offset = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], temp[threadIdx.x]);
}]==]
local n = 3000
local x, bins = t:ints(n, 0, 255, "u8"), np.zeros(256, "u32")
m.histogram[{3, 256}](x, n, bins)
local want = t.fill(256, 0)
for _, v in ipairs(x:tolist()) do want[v] = want[v] + 1 end
t:same("bins", bins, want)
