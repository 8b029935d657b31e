-- SPDX-License-Identifier: Apache-2.0
-- Heat spreads on a plate: ten launches that swap two arrays.
local t = ...
local m = t:module[==[
__constant__ float kappa = 0.125f;
__global__ void step(const float *u, float *next, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  int i = y * nx + x;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
    next[i] = u[i];
  else
    next[i] = u[i] + kappa * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4 * u[i]);
}]==]
local nx, ny = 30, 21
local x = t:floats(nx * ny, 0, 100)
local v = t.values(x)
local u, next = cuda.to_device(x), cuda.device_array_like(x)
for _ = 1, 10 do
  m.step[{{4, 6}, {8, 4}}](u, next, nx, ny)
  u, next = next, u
  local w = {}
  for i = 0, nx * ny - 1 do
    local c, r = i % nx, i // nx
    local inside = c > 0 and r > 0 and c < nx - 1 and r < ny - 1
    local flow = inside and v[i - 1] + v[i + 1] + v[i - nx] + v[i + nx] - 4 * v[i] or 0
    w[i] = v[i] + 0.125 * flow
  end
  v = w
end
t:close("temperature", u, v, 1e-5)
