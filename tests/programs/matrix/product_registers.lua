-- SPDX-License-Identifier: Apache-2.0
-- Each thread computes 4 x 4 elements in registers; rows are loaded as float4.
local t = ...
local m = t:module[==[
__global__ void __launch_bounds__(64) sgemm(int n, float alpha, const float4 *a,
                                            const float4 *b, float beta, float4 *c) {
  __shared__ float4 as[32][2], bs[8][8];
  int tid = threadIdx.x, tr = tid / 8, tc = tid % 8;
  float acc[4][4] = {};
  int row0 = blockIdx.y * 32, col0 = blockIdx.x * 8;
  for (int k = 0; k < n; k += 8) {
    as[tid / 2][tid % 2] = a[(row0 + tid / 2) * (n / 4) + k / 4 + tid % 2];
    bs[tid / 8][tid % 8] = b[(k + tid / 8) * (n / 4) + col0 + tid % 8];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float4 v = bs[i][tc];
#pragma unroll
      for (int r = 0; r < 4; r++) {
        const float u = reinterpret_cast<const float *>(as[4 * tr + r])[i];
        acc[r][0] += u * v.x;
        acc[r][1] += u * v.y;
        acc[r][2] += u * v.z;
        acc[r][3] += u * v.w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; r++) {
    float4 *p = &c[(row0 + 4 * tr + r) * (n / 4) + col0 + tc];
    float4 old = *p;
    *p = make_float4(alpha * acc[r][0] + beta * old.x, alpha * acc[r][1] + beta * old.y,
                     alpha * acc[r][2] + beta * old.z, alpha * acc[r][3] + beta * old.w);
  }
}]==]
local n = 32
local a, b, c = t:ints(n * n, -8, 8, "f32"), t:ints(n * n, -8, 8, "f32"), t:ints(n * n, 0, 9, "f32")
local x, y, z = t.values(a), t.values(b), t.values(c)
m.sgemm[{{1, 1}, 64}](n, 0.5, a, b, 2.0, c)
t:same("c", c, t.fill(n * n, function(i)
  local s = 0
  for k = 0, n - 1 do s = s + x[i // n * n + k] * y[k * n + i % n] end
  return 0.5 * s + 2 * z[i]
end))
