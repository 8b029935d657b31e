-- SPDX-License-Identifier: Apache-2.0
-- A Fourier transform of 64 points in one block: bits reversed, butterflies in
-- shared memory, twiddles by sincospi.
local t = ...
t:approximate(1e-12)
local m = t:module[==[
__global__ void fft(const double2 *in, double2 *out) {
  __shared__ double2 s[64];
  int i = threadIdx.x;
  s[__brev(i) >> 26] = in[i];
  s[__brev(i + 32) >> 26] = in[i + 32];
  __syncthreads();
  for (int half = 1; half < 64; half *= 2) {
    int k = i % half, a = 2 * (i - k) + k, b = a + half;
    double c, d;
    sincospi(-(double)k / half, &d, &c);
    double2 u = s[a], v = s[b];
    v = make_double2(v.x * c - v.y * d, v.x * d + v.y * c);
    s[a] = make_double2(u.x + v.x, u.y + v.y);
    s[b] = make_double2(u.x - v.x, u.y - v.y);
    __syncthreads();
  }
  out[i] = s[i];
  out[i + 32] = s[i + 32];
}]==]
local x, out = t:floats(128, -1, 1, "f64"), np.zeros(128, "f64")
m.fft[{1, 32}](x, out)
local v, want = t.values(x), {}
for k = 0, 63 do
  local re, im = 0, 0
  for j = 0, 63 do
    local a = -2 * math.pi * (j * k % 64) / 64
    re = re + v[2 * j] * math.cos(a) - v[2 * j + 1] * math.sin(a)
    im = im + v[2 * j] * math.sin(a) + v[2 * j + 1] * math.cos(a)
  end
  want[2 * k], want[2 * k + 1] = re, im
end
t:close("spectrum", out, want, 1e-12)
