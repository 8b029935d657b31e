-- SPDX-License-Identifier: Apache-2.0
-- A one-dimensional stencil of radius 3 with a halo in shared memory.
local t = ...
local m = t:module[==[
#define RADIUS 3
#define BLOCK_SIZE 64
__global__ void stencil_1d(int *in, int *out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  in += RADIUS;
  out += RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  out[gindex] = result;
}]==]
local n = 256
local x, out = t:ints(n + 6, -50, 50), np.zeros(n + 6, "i32")
m.stencil_1d[{4, 64}](x, out)
local v = t.values(x)
t:same("sums", out, t.fill(n + 6, function(i)
  if i < 3 or i >= n + 3 then return 0 end
  local s = 0
  for k = -3, 3 do s = s + v[i + k] end
  return s
end))
