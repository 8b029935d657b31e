// wrong: the barrier stands before the wait, so others' copies need not have come
// verdict: fail
// says: The barrier on line 18 stands before the wait on line 19
#include <cuda_pipeline.h>

__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[2][256];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0, round = 0;
  if (t < n) __pipeline_memcpy_async(&desk[0][t], &x[t], sizeof(int));
  __pipeline_commit();
  for (int first = 0; first < n; first += size, round++) {
    int next = first + size + t;
    if (next < n)
      __pipeline_memcpy_async(&desk[(round + 1) % 2][t], &x[next],
                              sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(1);
    int length = min(size, n - first);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[round % 2][k]);
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
