// wrong: the last tile is worked on as if it were full
// verdict: fail
// says: Nothing wrote this cell before it was read
// says: The last tile may be shorter
#include <cuda_pipeline.h>

__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[2][256];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  int tiles = (n + size - 1) / size;
  if (t < n) __pipeline_memcpy_async(&desk[0][t], &x[t], 4);
  __pipeline_commit();
  for (int tile = 0; tile < tiles; tile++) {
    int next = (tile + 1) * size + t;
    if (next < n)
      __pipeline_memcpy_async(&desk[(tile + 1) % 2][t], &x[next], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < size; k++) sum += abs(mine - desk[tile % 2][k]);
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
