-- SPDX-License-Identifier: Apache-2.0
-- The ladder's fourth step: each thread adds two elements while it loads, the
-- kernel runs again on its own partial sums until one is left.
local t = ...
local m = t:module[==[
__global__ void reduce(const long long *in, long long *out, int n) {
  extern __shared__ long long part[];
  int tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
  long long mine = i < n ? in[i] : 0;
  if (i + blockDim.x < n) mine += in[i + blockDim.x];
  part[tid] = mine;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (tid < d) part[tid] = mine = mine + part[tid + d];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = mine;
}]==]
local n = 3001
local x = t:ints(n, -1000000000000, 1000000000000, "i64")
local total = 0
for _, v in ipairs(x:tolist()) do total = total + v end
local from = cuda.to_device(x)
local blocks
repeat
  blocks = (n + 127) // 128
  local to = cuda.device_array(blocks, "i64")
  m.reduce{grid = blocks, block = 64, shared = 8 * 64}(from, to, n)
  from, n = to, blocks
until blocks == 1
t:same("sum", from, total)
