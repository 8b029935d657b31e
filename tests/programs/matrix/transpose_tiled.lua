-- SPDX-License-Identifier: Apache-2.0
-- A transpose through a padded tile, each thread moving four elements.
local t = ...
local m = t:module[==[
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transpose(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}]==]
local width, height = 45, 37
local x, out = t:floats(width * height, -5, 5), np.zeros(width * height, "f32")
m.transpose[{{2, 2}, {32, 8}}](out, x, width, height)
t:same("transposed", out, cuda.to_host(x):reshape(height, width).T:copy())
