// expect: sum
// The last block reads what the others have left, by volatile reads.
__device__ int count, parts[4096];
__global__ void sum(const int *x, int *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, own = 0;
  for (; i < n; i += gridDim.x * blockDim.x) own += x[i];
  __shared__ int all;
  if (!threadIdx.x) all = 0;
  __syncthreads();
  atomicAdd(&all, own);
  __syncthreads();
  if (!threadIdx.x) {
    *(volatile int *)&parts[blockIdx.x] = all;
    __threadfence();
    if (atomicAdd(&count, 1) == gridDim.x - 1) {
      __threadfence();
      int s = 0;
      for (int b = 0; b < gridDim.x; b++) s += *(volatile int *)&parts[b];
      *total += s;
    }
  }
}
