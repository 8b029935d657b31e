// right: a template of the tile's edge, groups, only as far as the tile is filled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int EDGE>
__device__ float row_times_column(const float *a, const float *b, int row,
                                  int column, int m, int k, int n) {
  __shared__ float left[EDGE][EDGE], above[EDGE][EDGE];
  cg::thread_block block = cg::this_thread_block();
  const int x = threadIdx.x, y = threadIdx.y;
  float even = 0, odd = 0;
  for (int first = 0; first < k; first += EDGE) {
    int length = min(EDGE, k - first);
    if (row < m && x < length) left[y][x] = a[row * k + first + x];
    if (column < n && y < length) above[y][x] = b[(first + y) * n + column];
    block.sync();
    if (row < m && column < n)
      for (int i = 0; i < length; i++)
        (i % 2 ? odd : even) += left[y][i] * above[i][x];
    block.sync();
  }
  return even + odd;
}

__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int column = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  float sum = row_times_column<16>(a, b, row, column, m, k, n);
  if (row < m && column < n) c[row * n + column] = sum;
}
