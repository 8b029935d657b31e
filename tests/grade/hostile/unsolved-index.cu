// expect: matmul-wmma fail out of bounds
// The index is not linear in the one name whose value nobody knows.
#include <mma.h>
using namespace nvcuda;
__global__ void product(const __half *a, const __half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  int row = blockIdx.y * 16, column = blockIdx.x * 17;
  wmma::fill_fragment(fc, 0.0f);
  for (int first = 0; first < n; first += 16) {
    wmma::load_matrix_sync(fa, a + row * n + first, n);
    wmma::load_matrix_sync(fb, b + first * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}
