-- SPDX-License-Identifier: Apache-2.0
-- Edges of a grey image: uchar4 pixels in, byte magnitudes out.
local t = ...
local m = t:module[==[
__device__ int grey(uchar4 p) { return (77 * p.x + 150 * p.y + 29 * p.z) >> 8; }
__global__ void sobel(const uchar4 *image, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  auto at = [=](int u, int v) {
    u = u < 0 ? 0 : u >= w ? w - 1 : u;
    v = v < 0 ? 0 : v >= h ? h - 1 : v;
    return grey(image[v * w + u]);
  };
  int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
           2 * at(x - 1, y) - at(x - 1, y + 1);
  int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
           2 * at(x, y - 1) - at(x + 1, y - 1);
  int sum = abs(gx) + abs(gy);
  out[y * w + x] = sum > 255 ? 255 : sum;
}]==]
local w, h = 19, 15
local x, out = t:ints(4 * w * h, 0, 255, "u8"), np.zeros(w * h, "u8")
m.sobel[{{2, 2}, {16, 8}}](x, out, w, h)
local v = t.values(x)
local function at(a, b)
  local p = 4 * (math.max(0, math.min(h - 1, b)) * w + math.max(0, math.min(w - 1, a)))
  return 77 * v[p] + 150 * v[p + 1] + 29 * v[p + 2] >> 8
end
t:same("edges", out, t.fill(w * h, function(i)
  local a, b, gx, gy = i % w, i // w, 0, 0
  for k = -1, 1 do
    local f = k == 0 and 2 or 1
    gx = gx + f * (at(a + 1, b + k) - at(a - 1, b + k))
    gy = gy + f * (at(a + k, b + 1) - at(a + k, b - 1))
  end
  return math.min(255, math.abs(gx) + math.abs(gy))
end))
