// wrong: in the last round there is no new bundle, and "all but the newest" leaves out the tile itself
// verdict: fail
// says: an empty one where nothing is ordered
// says: Nothing wrote this cell before it was read
#include <cuda_pipeline.h>

__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[2][256];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  if (t < n) __pipeline_memcpy_async(&desk[0][t], &x[t], 4);
  __pipeline_commit();
  int at = 0;
  for (int first = 0; first < n; first += size) {
    int next = first + size;
    if (next < n) {
      if (next + t < n)
        __pipeline_memcpy_async(&desk[1 - at][t], &x[next + t], 4);
      __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    int length = min(size, n - first);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[at][k]);
    __syncthreads();
    at = 1 - at;
  }
  if (i < n) out[i] = sum;
}
