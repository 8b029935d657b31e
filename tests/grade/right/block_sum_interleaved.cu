// expect: block-sum
// A tree with strides that double.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  p[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0)
      p[t] += p[t + s];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = p[0];
}
