// expect: block-sum
// Shuffles, then shared memory.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  float v = i < n ? x[i] : 0;
  for (int o = 16; o; o /= 2)
    v += __shfl_down_sync(~0u, v, o);
  __shared__ float p[8];
  if (t % 32 == 0)
    p[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = t < 8 ? p[t] : 0;
    for (int o = 4; o; o /= 2)
      v += __shfl_down_sync(~0u, v, o);
    if (!t)
      out[blockIdx.x] = v;
  }
}
