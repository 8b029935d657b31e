-- SPDX-License-Identifier: Apache-2.0
-- Two stages of cp.async: a tile is copied while the one before is added up.
local t = ...
local m = t:module[==[
#include <cuda_pipeline.h>
__global__ void sum(const int *x, int *out, int tiles) {
  __shared__ int s[2][64];
  int i = threadIdx.x, total = 0;
  __pipeline_memcpy_async(&s[0][i], &x[i], sizeof(int));
  __pipeline_commit();
  for (int k = 0; k < tiles; k++) {
    int next = k + 1;
    if (next < tiles) __pipeline_memcpy_async(&s[next % 2][i], &x[64 * next + i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    total += s[k % 2][(i + 1) % 64] * (k + 1);
    __syncthreads();
  }
  out[i] = total;
}]==]
local x, out = t:ints(384, -99, 99), np.zeros(64, "i32")
m.sum[{1, 64}](x, out, 6)
local v = t.values(x)
t:same("sums", out, t.fill(64, function(i)
  local s = 0
  for k = 0, 5 do s = s + v[64 * k + (i + 1) % 64] * (k + 1) end
  return s
end))
