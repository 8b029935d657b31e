-- SPDX-License-Identifier: Apache-2.0
-- Many pendulums by Runge-Kutta of fourth order; the right side is a functor.
local t = ...
t:approximate(1e-12)
local m = t:module[==[
struct Pendulum {
  double g;
  __device__ double2 operator()(double2 y) const { return {y.y, -g * sin(y.x)}; }
};
template <class F>
__device__ double2 rk4(F f, double2 y, double h) {
  auto add = [](double2 a, double2 b, double s) {
    return make_double2(a.x + s * b.x, a.y + s * b.y);
  };
  double2 a = f(y), b = f(add(y, a, h / 2)), c = f(add(y, b, h / 2)), d = f(add(y, c, h));
  return add(y, make_double2(a.x + 2 * b.x + 2 * c.x + d.x, a.y + 2 * b.y + 2 * c.y + d.y), h / 6);
}
extern "C" __global__ void swing(double2 *y, double h, int steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 v = y[i];
  for (int s = 0; s < steps; s++) v = rk4(Pendulum{9.81}, v, h);
  y[i] = v;
}]==]
local n, h, steps = 40, 0.01, 20
local y = t:floats(2 * n, -1, 1, "f64")
local v, want = t.values(y), {}
m.swing[{2, 32}](y, h, steps, n)
local function f(a, b) return b, -9.81 * math.sin(a) end
for i = 0, 2 * n - 1, 2 do
  local a, b = v[i], v[i + 1]
  for _ = 1, steps do
    local a1, b1 = f(a, b)
    local a2, b2 = f(a + h / 2 * a1, b + h / 2 * b1)
    local a3, b3 = f(a + h / 2 * a2, b + h / 2 * b2)
    local a4, b4 = f(a + h * a3, b + h * b3)
    a, b = a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), b + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
  end
  want[i], want[i + 1] = a, b
end
t:close("states", y, want, 1e-12)
