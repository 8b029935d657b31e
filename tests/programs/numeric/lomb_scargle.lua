-- SPDX-License-Identifier: Apache-2.0
-- The power of uneven samples at many frequencies, one thread a frequency.
local t = ...
t:approximate(1e-9)
local m = t:module([==[
template <typename T>
__global__ void lombscargle(int xs, int fs, const T *x, const T *y, const T *freqs, T *pgram) {
  const int tx = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
  for (int f = tx; f < fs; f += stride) {
    T freq = freqs[f], xc = 0, xs_ = 0, cc = 0, ss = 0, cs = 0;
    for (int j = 0; j < xs; j++) {
      T s, c;
      sincos(freq * x[j], &s, &c);
      xc += y[j] * c;
      xs_ += y[j] * s;
      cc += c * c;
      ss += s * s;
      cs += c * s;
    }
    T tau = atan2(2 * cs, cc - ss) / (2 * freq), st, ct;
    sincos(freq * tau, &st, &ct);
    T c2 = ct * ct, s2 = st * st, d = 2 * ct * st;
    T a = ct * xc + st * xs_, b = ct * xs_ - st * xc;
    pgram[f] = 0.5 * (a * a / (c2 * cc + d * cs + s2 * ss) + b * b / (c2 * ss - d * cs + s2 * cc));
  }
}]==], {instantiate = {"lombscargle<double>"}})
local n, fs = 40, 50
local x, y = t:floats(n, 0, 20, "f64"), t:floats(n, -1, 1, "f64")
local f = np.array((function()
  local v = {}
  for i = 1, fs do v[i] = 0.2 + 0.1 * i end
  return v
end)(), "f64")
local out = np.zeros(fs, "f64")
m["lombscargle<double>"][{2, 16}](n, fs, x, y, f, out)
local u, v, w = t.values(x), t.values(y), t.values(f)
t:close("power", out, t.fill(fs, function(k)
  local sum2, cos2 = 0, 0
  for j = 0, n - 1 do
    sum2, cos2 = sum2 + math.sin(2 * w[k] * u[j]), cos2 + math.cos(2 * w[k] * u[j])
  end
  local tau = math.atan(sum2, cos2) / (2 * w[k])
  local a, b, cc, ss = 0, 0, 0, 0
  for j = 0, n - 1 do
    local c, s = math.cos(w[k] * (u[j] - tau)), math.sin(w[k] * (u[j] - tau))
    a, b, cc, ss = a + v[j] * c, b + v[j] * s, cc + c * c, ss + s * s
  end
  return 0.5 * (a * a / cc + b * b / ss)
end), 1e-8)
