-- SPDX-License-Identifier: Apache-2.0
-- Jacobi's iteration until the device says that nothing moves any more.
local t = ...
local m = t:module[==[
__global__ void jacobi(const float *a, const float *b, const float *x, float *next, int *moved,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = b[i];
  for (int j = 0; j < n; j++)
    if (j != i) sum -= a[i * n + j] * x[j];
  sum /= a[i * n + i];
  if (fabsf(sum - x[i]) > 1e-5f) atomicOr(moved, 1);
  next[i] = sum;
}]==]
local n = 40
local a, b = t:floats(n * n, -1, 1), t:floats(n, -5, 5)
for i = 0, n - 1 do a[i * n + i] = 64 end
local da, db = cuda.to_device(a), cuda.to_device(b)
local x, next = cuda.to_device(np.zeros(n, "f32")), cuda.device_array(n, "f32")
local moved, rounds = np.ones(1, "i32"), 0
while moved[0] == 1 do
  moved[0] = 0
  m.jacobi[{2, 32}](da, db, x, next, moved, n)
  x, next, rounds = next, x, rounds + 1
  assert(rounds < 50, "no convergence")
end
local s, u, v = t.values(a), t.values(x), {}
for i = 0, n - 1 do
  v[i + 1] = 0.0
  for j = 0, n - 1 do v[i + 1] = v[i + 1] + s[i * n + j] * u[j] end
end
t:same("x", x, x)
t:close("a x", np.array(v, "f32"), b, 2e-3)
