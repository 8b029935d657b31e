// wrong: each thread looks after one bin only; with blocks of fewer than 256 threads the other bins are left out
// verdict: fail
// only says: shared memory start with whatever was there
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  __shared__ int local[256];
  int t = threadIdx.x;
  local[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  atomicAdd(&bins[t], local[t]);
}
