// right: a template, values in registers first, the tile turned while it is filled, a barrier by cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int SIDE, int STEP>
__device__ void turn(const float *in, float *out, int rows, int columns,
                     float (*tile)[SIDE + 1]) {
  auto block = cg::this_thread_block();
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  float mine[SIDE / STEP];
#pragma unroll
  for (int k = 0; k < SIDE / STEP; ++k)
    mine[k] = x < columns && y + k * STEP < rows ? in[(y + k * STEP) * columns + x] : 0.0f;
#pragma unroll
  for (int k = 0; k < SIDE / STEP; ++k)
    tile[threadIdx.x][threadIdx.y + k * STEP] = mine[k];
  block.sync();
  x = blockIdx.y * SIDE + threadIdx.x;
  y = blockIdx.x * SIDE + threadIdx.y;
  for (int k = 0; k < SIDE; k += STEP)
    if (x < rows && y + k < columns)
      out[(y + k) * rows + x] = tile[threadIdx.y + k][threadIdx.x];
}

__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  turn<32, 8>(in, out, rows, columns, tile);
}
