// expect: block-sum
// A quarter of the threads load four each.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[64];
  if (t < 64) {
    float s = 0;
    for (int k = 0; k < 4; k++) {
      int j = b0 + 4 * t + k;
      if (j < n)
        s += x[j];
    }
    p[t] = s;
  }
  __syncthreads();
  for (int h = 32; h; h /= 2) {
    if (t < h)
      p[t] += p[t + h];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = p[0];
}
