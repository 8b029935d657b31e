-- SPDX-License-Identifier: Apache-2.0
-- Tiles of both factors in shared memory, with zeros where a tile hangs over.
local t = ...
local m = t:module([==[
template <int TILE>
__global__ void mm(const int *a, const int *b, int *c, int n) {
  __shared__ int as[TILE][TILE], bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx, sum = 0;
  for (int p = 0; p < (n + TILE - 1) / TILE; p++) {
    int k = p * TILE;
    as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
    bs[ty][tx] = col < n && k + ty < n ? b[(k + ty) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}]==], {instantiate = {"mm<8>", "mm<16>"}})
local n = 27
local a, b = t:ints(n * n, -99, 99), t:ints(n * n, -99, 99)
local x, y = t.values(a), t.values(b)
local want = t.fill(n * n, function(i)
  local s = 0
  for k = 0, n - 1 do s = s + x[i // n * n + k] * y[k * n + i % n] end
  return s
end)
for _, tile in ipairs{8, 16} do
  local c, g = np.zeros(n * n, "i32"), (n + tile - 1) // tile
  m[("mm<%d>"):format(tile)][{{g, g}, {tile, tile}}](a, b, c, n)
  t:same("product by " .. tile, c, want)
end
