-- SPDX-License-Identifier: Apache-2.0
-- Prices of options, by fast intrinsics and by the exact library.
local t = ...
t:approximate(1e-4)
local m = t:module[==[
__device__ inline float cnd(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f,
              A5 = 1.330274429f, RSQRT2PI = 0.39894228040143267793994605993438f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float c = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  return d > 0 ? 1.0f - c : c;
}
__global__ void fast(const float *S, const float *X, const float *T, float *call, float R,
                     float V, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  float sqrtT = __fdividef(1.0f, rsqrtf(T[i]));
  float d1 = __fdividef(__logf(S[i] / X[i]) + (R + 0.5f * V * V) * T[i], V * sqrtT);
  call[i] = S[i] * cnd(d1) - X[i] * __expf(-R * T[i]) * cnd(d1 - V * sqrtT);
}
__global__ void exact(const float *S, const float *X, const float *T, double *call, double R,
                      double V, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  double v = V * sqrt((double)T[i]);
  double d1 = (log((double)S[i] / X[i]) + (R + 0.5 * V * V) * T[i]) / v;
  call[i] = S[i] * normcdf(d1) - X[i] * exp(-R * T[i]) * normcdf(d1 - v);
}]==]
local n = 100
local S, X, T = t:floats(n, 5, 30), t:floats(n, 1, 100), t:floats(n, 0.25, 10)
local fast, exact = np.zeros(n, "f32"), np.zeros(n, "f64")
m.fast[{2, 64}](S, X, T, fast, 0.02, 0.30, n)
m.exact[{2, 64}](S, X, T, exact, 0.02, 0.30, n)
-- The normal distribution by Simpson's rule.
local function cdf(d)
  local steps, sum = 400, 0
  local h = d / steps
  for i = 0, steps do
    local f = (i == 0 or i == steps) and 1 or i % 2 == 1 and 4 or 2
    sum = sum + f * math.exp(-0.5 * (i * h) ^ 2)
  end
  return 0.5 + sum * h / 3 / math.sqrt(2 * math.pi)
end
local s, x, u = t.values(S), t.values(X), t.values(T)
local want = t.fill(n, function(i)
  local v = 0.3 * math.sqrt(u[i])
  local d = (math.log(s[i] / x[i]) + (0.02 + 0.045) * u[i]) / v
  return s[i] * cdf(d) - x[i] * math.exp(-0.02 * u[i]) * cdf(d - v)
end)
t:close("exact", exact, want, 1e-7)
t:close("fast", fast, want, 2e-4)
