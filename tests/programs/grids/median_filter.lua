-- SPDX-License-Identifier: Apache-2.0
-- The median of nine by a sorting network on registers, short elements.
local t = ...
local m = t:module[==[
#define S(a, b) { short lo = min(v[a], v[b]), hi = max(v[a], v[b]); v[a] = lo; v[b] = hi; }
__global__ void median(const short *in, short *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  short v[9];
#pragma unroll
  for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
  S(1, 2) S(4, 5) S(7, 8) S(0, 1) S(3, 4) S(6, 7) S(1, 2) S(4, 5) S(7, 8)
  S(0, 3) S(5, 8) S(4, 7) S(3, 6) S(1, 4) S(2, 5) S(4, 7) S(4, 2) S(6, 4) S(4, 2)
  out[y * w + x] = v[4];
}]==]
local w, h = 21, 16
local x, out = t:ints(w * h, -500, 500, "i16"), np.zeros(w * h, "i16")
m.median[{{3, 4}, {8, 4}}](x, out, w, h)
local v = t.values(x)
t:same("medians", out, t.fill(w * h, function(i)
  local a, b = i % w, i // w
  if a == 0 or b == 0 or a == w - 1 or b == h - 1 then return 0 end
  local s = {}
  for k = 0, 8 do s[k + 1] = v[i + (k // 3 - 1) * w + k % 3 - 1] end
  table.sort(s)
  return s[5]
end))
