-- SPDX-License-Identifier: Apache-2.0
-- A sparse matrix (CSR) times a vector: one thread a row, and one warp a row.
local t = ...
local m = t:module[==[
__global__ void scalar(int rows, const int *start, const int *col, const float *val,
                       const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    for (int k = start[row]; k < start[row + 1]; k++) dot += val[k] * x[col[k]];
    y[row] += dot;
  }
}
__global__ void vector(int rows, const int *start, const int *col, const float *val,
                       const float *x, float *y) {
  __shared__ volatile float vals[64];
  int thread = blockDim.x * blockIdx.x + threadIdx.x, row = thread / 32, lane = thread & 31;
  if (row >= rows) return;
  float v = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) v += val[k] * x[col[k]];
  vals[threadIdx.x] = v;
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) vals[threadIdx.x] = vals[threadIdx.x] + vals[threadIdx.x + d];
    __syncwarp();
  }
  if (lane == 0) y[row] += vals[threadIdx.x];
}]==]
local rows, start, col, val = 45, {0}, {}, {}
for r = 1, rows do
  for _ = 1, t:next(50) do
    col[#col + 1], val[#val + 1] = t:next(60), t:next(17) - 8.0
  end
  start[r + 1] = #col
end
local x = t:ints(60, -5, 5, "f32")
local u, want = t.values(x), {}
for r = 1, rows do
  local s = 1.0
  for k = start[r] + 1, start[r + 1] do s = s + val[k] * u[col[k]] end
  want[r - 1] = s
end
local a = {np.array(start, "i32"), np.array(col, "i32"), np.array(val, "f32"), x}
for name, shape in pairs{scalar = {2, 32}, vector = {23, 64}} do
  local y = np.ones(rows, "f32")
  m[name][shape](rows, a[1], a[2], a[3], a[4], y)
  t:same(name, y, want)
end
