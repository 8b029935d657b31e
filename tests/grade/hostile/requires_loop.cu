// expect: block-sum fail min_threads = 64: 1 of
// One thread adds up the block in a loop.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  if (t == 0) {
    float s = 0;
    for (int k = 0; k < 256 && b0 + k < n; k++)
      s += x[b0 + k];
    out[blockIdx.x] = s;
  }
}
