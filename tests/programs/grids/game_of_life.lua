-- SPDX-License-Identifier: Apache-2.0
-- Conway's game on a torus, bytes, eight generations in one cooperative block.
local t = ...
local m = t:module[==[
__global__ void life(unsigned char *cells, int w, int h, int generations) {
  extern __shared__ unsigned char board[];
  unsigned char *a = board, *b = board + w * h;
  int x = threadIdx.x, y = threadIdx.y, i = y * w + x;
  a[i] = cells[i];
  __syncthreads();
  for (int g = 0; g < generations; g++) {
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        if (dx || dy) sum += a[(y + dy + h) % h * w + (x + dx + w) % w];
    b[i] = sum == 3 || (sum == 2 && a[i]);
    __syncthreads();
    unsigned char *c = a;
    a = b;
    b = c;
  }
  cells[i] = a[i];
}]==]
local w, h = 22, 17
local cells = t:ints(w * h, 0, 1, "u8")
local v = t.values(cells)
m.life{grid = 1, block = {w, h}, shared = 2 * w * h}(cells, w, h, 8)
for _ = 1, 8 do
  local new = {}
  for i = 0, w * h - 1 do
    local sum = -v[i]
    for dy = -1, 1 do
      for dx = -1, 1 do sum = sum + v[(i // w + dy) % h * w + (i % w + dx) % w] end
    end
    new[i] = (sum == 3 or sum == 2 and v[i] == 1) and 1 or 0
  end
  v = new
end
t:same("cells", cells, v)
