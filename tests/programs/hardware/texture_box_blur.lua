-- SPDX-License-Identifier: Apache-2.0
-- A blur through a two-dimensional texture that clamps at its borders.
local t = ...
local m = t:module[==[
__global__ void blur(cudaTextureObject_t tex, int *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) sum += tex2D<unsigned char>(tex, x + dx + 0.5f, y + dy + 0.5f);
  out[y * w + x] = sum;
}]==]
local w, h = 23, 14
local x, out = t:ints(w * h, 0, 255, "u8"), np.zeros(w * h, "i32")
local texture = cuda.texture(cuda.array(x:reshape(h, w)))
m.blur[{{3, 2}, {8, 8}}](texture, out, w, h)
local v = t.values(x)
t:same("sums", out, t.fill(w * h, function(i)
  local s = 0
  for k = 0, 8 do
    local a = math.max(0, math.min(w - 1, i % w + k % 3 - 1))
    local b = math.max(0, math.min(h - 1, i // w + k // 3 - 1))
    s = s + v[b * w + a]
  end
  return s
end))
