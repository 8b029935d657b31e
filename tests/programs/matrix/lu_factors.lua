-- SPDX-License-Identifier: Apache-2.0
-- Gaussian elimination without pivoting, two kernels a column.
local t = ...
local m = t:module[==[
__global__ void divide(double *a, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + k] /= a[k * n + k];
}
__global__ void update(double *a, int n, int k) {
  int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}]==]
local n = 18
local a = t:floats(n * n, -1, 1, "f64")
for i = 0, n - 1 do a[i * n + i] = 20 + i end
local v = t.values(a)
local d = cuda.to_device(a)
for k = 0, n - 2 do
  m.divide[{1, 32}](d, n, k)
  m.update[{{3, 3}, {8, 8}}](d, n, k)
  for i = k + 1, n - 1 do
    v[i * n + k] = v[i * n + k] / v[k * n + k]
    for j = k + 1, n - 1 do v[i * n + j] = v[i * n + j] - v[i * n + k] * v[k * n + j] end
  end
end
t:close("factors", d, v, 1e-13)
