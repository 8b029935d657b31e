// expect: block-sum
// A matrix product with ones adds the rows; what a tf32 or a half cannot hold
// of a float is added as further products.
#include <mma.h>
using namespace nvcuda;
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float sums[256];
  __shared__ __align__(32) __half part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  float v = i < n ? x[i] : 0;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(b, __float2half(1));
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < 3; k++) {
    __half high = __float2half(v);
    part[t] = high;
    v -= __half2float(high);
    __syncthreads();
    wmma::load_matrix_sync(a, part, 16);
    wmma::mma_sync(c, a, b, c);
    __syncthreads();
  }
  if (t < 32)
    wmma::store_matrix_sync(sums, c, 16, wmma::mem_row_major);
  __syncthreads();
  if (!t) {
    float sum = 0;
    for (int r = 0; r < 16; r++)
      sum += sums[r * 16];
    out[blockIdx.x] = sum;
  }
}
