// expect: block-sum fail min_threads = 64: 2 of
// One value comes from another thread, for the look of it.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  p[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    float s = p[1] + (b0 < n ? x[b0] : 0);
    for (int k = 2; k < 256 && b0 + k < n; k++)
      s += x[b0 + k];
    out[blockIdx.x] = s;
  }
}
