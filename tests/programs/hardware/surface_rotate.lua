-- SPDX-License-Identifier: Apache-2.0
-- A picture is read from one surface and written, turned, to another.
local t = ...
local m = t:module[==[
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int v;
  surf2Dread(&v, from, x * sizeof(int), y);
  surf2Dwrite(v + 1, to, (h - 1 - y) * sizeof(int), x);
}]==]
local w, h = 19, 12
local x = t:ints(w * h, -999, 999)
local from = cuda.array({h, w}, "i32", {surface = true})
local to = cuda.array({w, h}, "i32", {surface = true})
from:copy_from(x:reshape(h, w))
m.turn[{{3, 2}, {8, 8}}](cuda.surface(from), cuda.surface(to), w, h)
local v = t.values(x)
t:same("picture", to:copy_to_host(), t.fill(w * h, function(i)
  return v[(h - 1 - i % h) * w + i // h] + 1
end))
