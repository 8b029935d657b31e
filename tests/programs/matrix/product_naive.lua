-- SPDX-License-Identifier: Apache-2.0
-- A product of two matrices, one thread an element; sizes that no block divides.
local t = ...
local m = t:module[==[
__global__ void MatrixMulKernel(const float *M, const float *N, float *P, int rows, int inner,
                                int cols) {
  int Row = blockIdx.y * blockDim.y + threadIdx.y;
  int Col = blockIdx.x * blockDim.x + threadIdx.x;
  if ((Row < rows) && (Col < cols)) {
    float Pvalue = 0;
    for (int k = 0; k < inner; ++k) Pvalue += M[Row * inner + k] * N[k * cols + Col];
    P[Row * cols + Col] = Pvalue;
  }
}]==]
local rows, inner, cols = 19, 23, 30
local a, b = t:floats(rows * inner, -1, 1), t:floats(inner * cols, -1, 1)
local p = np.zeros(rows * cols, "f32")
m.MatrixMulKernel[{{4, 3}, {8, 8}}](a, b, p, rows, inner, cols)
local x, y = t.values(a), t.values(b)
t:close("product", p, t.fill(rows * cols, function(i)
  local s = 0
  for k = 0, inner - 1 do s = s + x[i // cols * inner + k] * y[k * cols + i % cols] end
  return s
end), 1e-5)
