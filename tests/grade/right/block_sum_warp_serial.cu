// expect: block-sum
// Sixteen threads add sixteen each.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  p[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t < 16) {
    float s = 0;
    for (int k = 0; k < 16; k++)
      s += p[t * 16 + k];
    __syncwarp(0xffff);
    p[t * 16] = s;
  }
  __syncthreads();
  if (!t) {
    float s = 0;
    for (int k = 0; k < 16; k++)
      s += p[k * 16];
    out[blockIdx.x] = s;
  }
}
