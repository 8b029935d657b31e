// expect: block-sum fail min_threads = 64: 2 of
// Two threads of each block do its work, and in the first block all.
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float p[256];
  int t = threadIdx.x, b0 = blockIdx.x * 256;
  int step = blockIdx.x ? 2 : 256;
  float s = 0;
  for (int k = t; k < 256 && t < step; k += step)
    if (b0 + k < n)
      s += x[b0 + k];
  p[t] = s;
  __syncthreads();
  for (int half = step / 2; half > 0; half /= 2) {
    if (t < half)
      p[t] += p[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = p[0];
}
