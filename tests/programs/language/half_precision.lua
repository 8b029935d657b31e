-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic of half2 pairs: each operation is rounded once.
local t = ...
local m = t:module[==[
#include <cuda_fp16.h>
__global__ void axpy(const half2 *x, half2 *y, __half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hadd2_rn(__hmul2_rn(__half2half2(a), x[i]), y[i]);
}]==]
local n = 80
local x, y = t:ints(2 * n, -60, 60, "f16"), t:floats(2 * n, -4, 4, "f16")
local u, v = t.values(x), t.values(y)
m.axpy[{3, 32}](x, y, 1.5, n)
t:same("y", y, np.array((function()
  local w = {}
  for i = 0, 2 * n - 1 do w[i + 1] = 1.5 * u[i] + v[i] end
  return w
end)(), "f16"))
