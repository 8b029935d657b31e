// expect: block-sum
// A tree that halves.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  p[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h; h /= 2) {
    if (t < h)
      p[t] += p[t + h];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = p[0];
}
