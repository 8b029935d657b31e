// right: tiles of a and b by the desk, and b taken by columns
#include <mma.h>
__global__ void product(const __half *a, const __half *b, float *c, int n) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) __half ta[256], tb[256];
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  for (int first = 0; first < n; first += 16) {
    for (int k = threadIdx.x; k < 256; k += 32) {
      ta[k] = a[(row + k / 16) * n + first + k % 16];
      tb[k % 16 * 16 + k / 16] = b[(first + k / 16) * n + column + k % 16];
    }
    __syncwarp();
    load_matrix_sync(fa, ta, 16);
    load_matrix_sync(fb, tb, 16);
    mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  store_matrix_sync(c + row * n + column, fc, n, mem_row_major);
}
