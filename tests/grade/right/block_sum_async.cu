// expect: block-sum
// Copied to shared memory without a register in between.
#include <cuda_pipeline.h>
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float p[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  if (i < n)
    __pipeline_memcpy_async(&p[t], &x[i], sizeof(float));
  else
    p[t] = 0;
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int h = 128; h; h /= 2) {
    if (t < h)
      p[t] += p[t + h];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = p[0];
}
