// wrong: the loop begins with the last pair of tiles, and the others never come
// verdict: fail
// says: Only the last pair of tiles counts
#include <mma.h>
using namespace nvcuda::wmma;

__global__ void product(const __half *a, const __half *b, float *c, int n) {
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0);
  const __half *down = a + 16 * blockIdx.y * n, *across = b + 16 * blockIdx.x;
  for (int from = n - 16; from < n; from += 16) {
    load_matrix_sync(left, down + from, n);
    load_matrix_sync(right, across + from * n, n);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c + 16 * (blockIdx.y * n + blockIdx.x), sum, n, mem_row_major);
}
