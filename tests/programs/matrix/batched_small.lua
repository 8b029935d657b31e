-- SPDX-License-Identifier: Apache-2.0
-- Many 3 x 3 matrices inverted, a struct of rows by value in registers.
local t = ...
local m = t:module[==[
struct Mat3 {
  double a[3][3];
  __device__ double cofactor(int i, int j) const {
    int r = (i + 1) % 3, s = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
    return a[r][u] * a[s][v] - a[r][v] * a[s][u];
  }
  __device__ double det() const {
    return a[0][0] * cofactor(0, 0) + a[0][1] * cofactor(0, 1) + a[0][2] * cofactor(0, 2);
  }
};
__device__ Mat3 inverse(Mat3 m) {
  Mat3 r;
  double d = 1 / m.det();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r.a[j][i] = m.cofactor(i, j) * d;
  return r;
}
__global__ void invert(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reinterpret_cast<Mat3 *>(out)[i] = inverse(reinterpret_cast<const Mat3 *>(in)[i]);
}]==]
local n = 50
local x = t:floats(9 * n, -1, 1, "f64")
for k = 0, n - 1 do
  for i = 0, 8, 4 do x[9 * k + i] = x[9 * k + i] + 4 end
end
local out = np.zeros(9 * n, "f64")
m.invert[{1, 64}](x, out, n)
local v = t.values(x)
local inv, product, want = t.values(out), {}, {}
for i = 0, 9 * n - 1 do
  local k, r, c = i // 9 * 9, i % 9 // 3, i % 3
  local s = 0
  for j = 0, 2 do s = s + v[k + 3 * r + j] * inv[k + 3 * j + c] end
  product[i + 1], want[i] = s, r == c and 1 or 0
end
t:close("inverse", out, out, 0)
t:close("product with the inverse", np.array(product, "f64"), want, 1e-12)
