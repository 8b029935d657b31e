-- SPDX-License-Identifier: Apache-2.0
-- A matrix product on tensor cores, a warp a tile: half in, float out. Small
-- integers, so that every order of additions gives one sum.
local t = ...
local m = t:module[==[
#include <mma.h>
using namespace nvcuda;
__global__ void mm(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  int row = blockIdx.y * 16, col = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  wmma::fill_fragment(fc, 1.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + col, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 0.5f;
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}]==]
local n = 32
local a, b, c = t:ints(n * n, -8, 8, "f16"), t:ints(n * n, -8, 8, "f16"), np.zeros(n * n, "f32")
m.mm[{{1, 2}, {32, 2}}](a, b, c, n)
local x, y = t.values(a), t.values(b)
t:same("product", c, t.fill(n * n, function(i)
  local s = 1
  for k = 0, n - 1 do s = s + x[i // n * n + k] * y[k * n + i % n] end
  return 0.5 * s
end))
