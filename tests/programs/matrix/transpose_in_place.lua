-- SPDX-License-Identifier: Apache-2.0
-- A square matrix is transposed in place: a block holds a tile and its mirror.
local t = ...
local m = t:module[==[
__global__ void transpose(double *a, int n) {
  __shared__ double upper[16][17], lower[16][17];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  if (bx < by) return;
  upper[ty][tx] = a[(by * 16 + ty) * n + bx * 16 + tx];
  if (bx > by) lower[ty][tx] = a[(bx * 16 + ty) * n + by * 16 + tx];
  __syncthreads();
  a[(bx * 16 + ty) * n + by * 16 + tx] = upper[tx][ty];
  if (bx > by) a[(by * 16 + ty) * n + bx * 16 + tx] = lower[tx][ty];
}]==]
local n = 48
local x = t:floats(n * n, 0, 1, "f64")
local v = t.values(x)
m.transpose[{{3, 3}, {16, 16}}](x, n)
t:same("transposed", x, t.fill(n * n, function(i) return v[i % n * n + i // n] end))
