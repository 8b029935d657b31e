// right: a whole tile each time, what lies behind the end set to 0 by a plain store
#include <cuda_pipeline.h>
__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[2][256];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  auto fetch = [&](int which, int j) {
    if (j < n)
      __pipeline_memcpy_async(&desk[which][t], &x[j], sizeof(int));
    else
      desk[which][t] = 0;
    __pipeline_commit();
  };
  fetch(0, t);
  int tiles = (n + size - 1) / size;
  for (int k = 0; k < tiles; k++) {
    fetch((k + 1) & 1, (k + 1) * size + t);
    __pipeline_wait_prior(1);
    __syncthreads();
    int length = min(size, n - k * size);
    for (int j = 0; j < length; j++) sum += abs(mine - desk[k & 1][j]);
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
