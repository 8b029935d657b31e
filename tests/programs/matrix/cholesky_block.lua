-- SPDX-License-Identifier: Apache-2.0
-- A block factors a symmetric matrix in shared memory, a column at a time.
local t = ...
local m = t:module[==[
#define N 24
__global__ void cholesky(double *a) {
  __shared__ double s[N][N + 1];
  int i = threadIdx.x;
  for (int j = 0; j < N; j++) s[i][j] = a[i * N + j];
  __syncthreads();
  for (int k = 0; k < N; k++) {
    if (i == k) s[k][k] = sqrt(s[k][k]);
    __syncthreads();
    if (i > k) s[i][k] /= s[k][k];
    __syncthreads();
    if (i > k)
      for (int j = k + 1; j <= i; j++) s[i][j] -= s[i][k] * s[j][k];
    __syncthreads();
  }
  for (int j = 0; j < N; j++) a[i * N + j] = j <= i ? s[i][j] : 0.0;
}]==]
local n = 24
local l, a = t.fill(n * n, 0.0), t.fill(n * n, 0.0)
for i = 0, n - 1 do
  for j = 0, i do l[i * n + j] = i == j and 2.0 + i / 8 or (t:next(9) - 4) / 4 end
end
for i = 0, n * n - 1 do
  for k = 0, n - 1 do a[i] = a[i] + l[i // n * n + k] * l[i % n * n + k] end
end
local d = np.array(table.move(a, 0, n * n - 1, 1, {}), "f64")
m.cholesky[{1, n}](d)
t:close("factor", d, l, 1e-11)
