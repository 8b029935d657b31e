// expect: block-sum fail shared: the result does not come
// The one cell of shared memory that is used is the thread's own.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  p[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    float s = p[0];
    for (int k = 1; k < 256 && b0 + k < n; k++)
      s += x[b0 + k];
    out[blockIdx.x] = s;
  }
}
