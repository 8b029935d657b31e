// expect: block-sum
// Atomics on shared memory.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float s;
  if (!t)
    s = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&s, x[i]);
  __syncthreads();
  if (!t)
    out[blockIdx.x] = s;
}
