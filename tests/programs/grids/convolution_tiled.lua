-- SPDX-License-Identifier: Apache-2.0
-- A 3 x 3 convolution whose blocks are as large as the input tile: the threads
-- at the rim only load.
local t = ...
local m = t:module[==[
#define OUT 6
#define IN (OUT + 2)
__constant__ int mask[3][3] = {{1, 2, 1}, {0, 3, 0}, {-1, -2, -1}};
__global__ void convolve(const int *in, int *out, int w, int h) {
  __shared__ int tile[IN][IN];
  int x = blockIdx.x * OUT + threadIdx.x - 1, y = blockIdx.y * OUT + threadIdx.y - 1;
  tile[threadIdx.y][threadIdx.x] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
  __syncthreads();
  int tx = (int)threadIdx.x - 1, ty = (int)threadIdx.y - 1;
  if (x < w && y < h && tx >= 0 && tx < OUT && ty >= 0 && ty < OUT) {
    int sum = 0;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) sum += mask[r][c] * tile[ty + r][tx + c];
    out[y * w + x] = sum;
  }
}]==]
local w, h = 25, 14
local x, out = t:ints(w * h, 0, 255), np.zeros(w * h, "i32")
m.convolve[{{5, 3}, {8, 8}}](x, out, w, h)
local mask, v = {{1, 2, 1}, {0, 3, 0}, {-1, -2, -1}}, t.values(x)
t:same("image", out, t.fill(w * h, function(i)
  local s = 0
  for r = -1, 1 do
    for c = -1, 1 do
      local a, b = i % w + c, i // w + r
      if a >= 0 and a < w and b >= 0 and b < h then s = s + mask[r + 2][c + 2] * v[b * w + a] end
    end
  end
  return s
end))
