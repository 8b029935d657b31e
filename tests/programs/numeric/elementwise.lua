-- SPDX-License-Identifier: Apache-2.0
-- Each thread has elements of its own: in place, with values used after others
-- were stored, for lengths and blocks that fill no vector.
local t = ...
local m = t:module[==[
__global__ void in_place(int a, const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void swap(int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int u = x[i], v = y[i];
  x[i] = v + 1;
  y[i] = u - v;
}
__global__ void chain(int *x, int *y, int *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = x[i] + y[i];
  z[i] = s;
  y[i] = s * z[i];
  x[i] = s + y[i];
}
__global__ void ahead(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 3] - x[i];
}]==]

for _, shape in ipairs {{10007, 256}, {8192, 128}, {12000, 48}, {20000, 1000}} do
  local n, block = shape[1], shape[2]
  local at = {{(n + block - 1) // block}, {block}}
  local x, y, z = t:ints(n + 3, -1000, 1000), t:ints(n, -1000, 1000), np.zeros(n, "i32")
  local u, v = t.values(x), t.values(y)
  local label = n .. " by " .. block
  m.in_place[at](7, x, y, n)
  for i = 0, n - 1 do v[i] = 7 * u[i] + v[i] end
  t:same(label .. " in place", y, v)
  m.swap[at](x, y, n)
  for i = 0, n - 1 do u[i], v[i] = v[i] + 1, u[i] - v[i] end
  t:same(label .. " x of swap", x, u)
  t:same(label .. " y of swap", y, v)
  m.ahead[at](x, y, n)
  for i = 0, n - 1 do v[i] = u[i + 3] - u[i] end
  t:same(label .. " ahead", y, v)
  x, y = t:ints(n, -100, 100), t:ints(n, -100, 100)
  u, v = t.values(x), t.values(y)
  local w = {}
  m.chain[at](x, y, z, n)
  for i = 0, n - 1 do
    w[i] = u[i] + v[i]
    v[i] = w[i] * w[i]
    u[i] = w[i] + v[i]
  end
  t:same(label .. " x of chain", x, u)
  t:same(label .. " y of chain", y, v)
  t:same(label .. " z of chain", z, w)
end
