-- SPDX-License-Identifier: Apache-2.0
-- A matrix times a vector, one warp a row.
local t = ...
local m = t:module[==[
__global__ void gemv(const double *__restrict__ a, const double *__restrict__ x,
                     double *__restrict__ y, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  double sum = 0;
  for (int j = lane; j < cols; j += 32) sum = fma(a[(size_t)warp * cols + j], __ldg(&x[j]), sum);
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[warp] = sum;
}]==]
local rows, cols = 13, 75
local a, x = t:floats(rows * cols, -1, 1, "f64"), t:floats(cols, -1, 1, "f64")
local y = np.zeros(rows, "f64")
m.gemv[{4, 128}](a, x, y, rows, cols)
local u, v = t.values(a), t.values(x)
t:close("y", y, t.fill(rows, function(i)
  local s = 0
  for j = 0, cols - 1 do s = s + u[i * cols + j] * v[j] end
  return s
end), 1e-13)
