-- SPDX-License-Identifier: Apache-2.0
-- A seven-point stencil on a box: a plane of threads marches through z.
local t = ...
local m = t:module[==[
__global__ void march(const double *in, double *out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  int plane = nx * ny, i = y * nx + x;
  double below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; z++) {
    i += plane;
    double above = in[i + plane];
    out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.0 * here;
    below = here;
    here = above;
  }
}]==]
local nx, ny, nz = 13, 10, 7
local n = nx * ny * nz
local x, out = t:floats(n, -1, 1, "f64"), np.zeros(n, "f64")
m.march[{{3, 2}, {4, 4}}](x, out, nx, ny, nz)
local v = t.values(x)
t:close("laplacian", out, t.fill(n, function(i)
  local a, b, c = i % nx, i // nx % ny, i // (nx * ny)
  if a == 0 or b == 0 or c == 0 or a == nx - 1 or b == ny - 1 or c == nz - 1 then return 0 end
  return v[i - 1] + v[i + 1] + v[i - nx] + v[i + nx] + v[i - nx * ny] + v[i + nx * ny] - 6 * v[i]
end), 1e-13)
