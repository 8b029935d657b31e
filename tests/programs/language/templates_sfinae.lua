-- SPDX-License-Identifier: Apache-2.0
-- Templates: a policy class, a variadic sum, constexpr if.
local t = ...
local m = t:module([==[
template <typename... T>
__device__ auto sum(T... v) { return (v + ...); }
template <int N>
__device__ constexpr int factorial() {
  if constexpr (N <= 1) return 1;
  else return N * factorial<N - 1>();
}
struct Plus { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Max { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <class T, class Op, int W>
__global__ void windows(const T *x, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + W > n) return;
  T r = x[i];
  for (int k = 1; k < W; k++) r = Op()(r, x[i + k]);
  out[i] = sum(r, T(factorial<W>()), T(1));
}]==], {instantiate = {"windows<int, Plus, 3>", "windows<double, Max, 5>"}})
local n = 77
local x, y = t:ints(n, -99, 99), t:ints(n, -99, 99, "f64")
local a, b = np.zeros(n, "i32"), np.zeros(n, "f64")
m["windows<int, Plus, 3>"][{2, 64}](x, a, n)
m["windows<double, Max, 5>"][{2, 64}](y, b, n)
local u, v = t.values(x), t.values(y)
t:same("sums", a, t.fill(n, function(i)
  return i + 3 > n and 0 or u[i] + u[i + 1] + u[i + 2] + 7
end))
t:same("maxima", b, t.fill(n, function(i)
  return i + 5 > n and 0 or math.max(table.unpack(v, i, i + 4)) + 121
end))
