#include <mma.h>
using namespace nvcuda;
// c = a b on tensor cores, for square matrices of n x n; n is a multiple of 16. a
// and b are of half, c of float. A block is one warp, and makes the tile of
// 16 x 16 elements of c whose column is blockIdx.x and whose row is blockIdx.y.
__global__ void product(const __half *a, const __half *b, float *c, int n) {
  // BEGIN SOLUTION
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fill_fragment(fc, 0.0f);
  for (int first = 0; first < n; first += 16) {
    wmma::load_matrix_sync(fa, a + row * n + first, n);
    wmma::load_matrix_sync(fb, b + first * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
  // END SOLUTION
  // STARTER: wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  // STARTER: int row = blockIdx.y * 16, column = blockIdx.x * 16;
  // STARTER: wmma::fill_fragment(fc, 0.0f);
  // STARTER: wmma::store_matrix_sync(c + row * n + column, fc, n,
  // STARTER:                         wmma::mem_row_major);
}
