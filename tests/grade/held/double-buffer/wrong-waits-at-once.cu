// wrong: right but slow, each tile is waited for as soon as it is ordered
// verdict: fail
// says: nothing was worked on meanwhile
#include <cuda_pipeline.h>

__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[256];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  for (int first = 0; first < n; first += size) {
    if (first + t < n)
      __pipeline_memcpy_async(&desk[t], &x[first + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int length = min(size, n - first);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[k]);
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
