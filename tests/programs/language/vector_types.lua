-- SPDX-License-Identifier: Apache-2.0
-- int4, short2 and double2: wide loads, one store.
local t = ...
local m = t:module[==[
__global__ void mix(const int4 *a, const short2 *b, const double2 *c, int4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int4 v = a[i];
  short2 s = b[i];
  double2 d = c[i];
  out[i] = make_int4(v.x + s.x, v.y - s.y, v.z * s.x, v.w + (int)floor(d.x) - (int)ceil(d.y));
}]==]
local n = 45
local a, b, c = t:ints(4 * n, -99, 99), t:ints(2 * n, -99, 99, "i16"), t:floats(2 * n, -9, 9, "f64")
local out = np.zeros(4 * n, "i32")
m.mix[{2, 32}](a, b, c, out, n)
local x, y, z, want = t.values(a), t.values(b), t.values(c), {}
for i = 0, n - 1 do
  local k, j = 4 * i, 2 * i
  want[k], want[k + 1], want[k + 2] = x[k] + y[j], x[k + 1] - y[j + 1], x[k + 2] * y[j]
  want[k + 3] = x[k + 3] + math.floor(z[j]) - math.ceil(z[j + 1])
end
t:same("out", out, want)
