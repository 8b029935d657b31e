-- SPDX-License-Identifier: Apache-2.0
-- An image is enlarged by bilinear interpolation of float4 pixels.
local t = ...
local m = t:module[==[
__device__ float4 operator*(float s, float4 v) {
  return make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}
__device__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ float4 lerp(float4 a, float4 b, float f) { return (1 - f) * a + f * b; }
__global__ void zoom(const float4 *in, int w, int h, float4 *out, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float u = x * (float)(w - 1) / (ow - 1), v = y * (float)(h - 1) / (oh - 1);
  int a = min((int)u, w - 2), b = min((int)v, h - 2);
  const float4 *p = in + b * w + a;
  out[y * ow + x] = lerp(lerp(p[0], p[1], u - a), lerp(p[w], p[w + 1], u - a), v - b);
}]==]
local w, h, ow, oh = 9, 6, 21, 13
local x, out = t:floats(4 * w * h, 0, 1), np.zeros(4 * ow * oh, "f32")
m.zoom[{{3, 2}, {8, 8}}](x, w, h, out, ow, oh)
local s = t.values(x)
t:close("pixels", out, t.fill(4 * ow * oh, function(i)
  local c, q = i % 4, i // 4
  local u, v = q % ow * (w - 1) / (ow - 1), q // ow * (h - 1) / (oh - 1)
  local a, b = math.min(math.floor(u), w - 2), math.min(math.floor(v), h - 2)
  local function at(k, l) return s[4 * ((b + l) * w + a + k) + c] end
  local f, g = u - a, v - b
  return (1 - g) * ((1 - f) * at(0, 0) + f * at(1, 0)) + g * ((1 - f) * at(0, 1) + f * at(1, 1))
end), 2e-5)
