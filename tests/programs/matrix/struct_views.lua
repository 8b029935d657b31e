-- SPDX-License-Identifier: Apache-2.0
-- Sub-matrices as structs by value: pointer, sizes and stride in one argument.
local t = ...
local m = t:module[==[
typedef struct { int width, height, stride; float *elements; } Matrix;
__device__ float &at(Matrix a, int row, int col) { return a.elements[row * a.stride + col]; }
__device__ Matrix sub(Matrix a, int row, int col, int size) {
  Matrix s = {size, size, a.stride, &a.elements[a.stride * size * row + size * col]};
  return s;
}
__global__ void product(Matrix A, Matrix B, Matrix C) {
  const int S = 8;
  __shared__ float as[S][S], bs[S][S];
  int row = threadIdx.y, col = threadIdx.x;
  Matrix c = sub(C, blockIdx.y, blockIdx.x, S);
  float v = 0;
  for (int m = 0; m < A.width / S; m++) {
    Matrix a = sub(A, blockIdx.y, m, S), b = sub(B, m, blockIdx.x, S);
    as[row][col] = at(a, row, col);
    bs[row][col] = at(b, row, col);
    __syncthreads();
    for (int e = 0; e < S; e++) v += as[row][e] * bs[e][col];
    __syncthreads();
  }
  at(c, row, col) = v;
}]==]
local rows, inner, cols = 16, 24, 32
local a, b = t:ints(rows * inner, -9, 9, "f32"), t:ints(inner * cols, -9, 9, "f32")
local x, y = t.values(a), t.values(b)
local da, db, dc = cuda.to_device(a), cuda.to_device(b), cuda.device_array(rows * cols, "f32")
local function matrix(d, w, h)
  return cuda.struct("i32 i32 i32 u64", w, h, w, d:pointer():address())
end
m.product[{{cols // 8, rows // 8}, {8, 8}}](matrix(da, inner, rows), matrix(db, cols, inner),
  matrix(dc, cols, rows))
t:same("product", dc, t.fill(rows * cols, function(i)
  local s = 0
  for k = 0, inner - 1 do s = s + x[i // cols * inner + k] * y[k * cols + i % cols] end
  return s
end))
