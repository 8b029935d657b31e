// expect: sum
// A lock around volatile accesses.
__device__ int lock;
__global__ void sum(const int *x, int *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, own = 0;
  for (; i < n; i += gridDim.x * blockDim.x) own += x[i];
  __shared__ int all;
  if (!threadIdx.x) all = 0;
  __syncthreads();
  atomicAdd(&all, own);
  __syncthreads();
  if (!threadIdx.x) {
    while (atomicCAS(&lock, 0, 1)) {}
    __threadfence();
    *(volatile int *)total = *(volatile int *)total + all;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
