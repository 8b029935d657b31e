// expect: block-sum fail min_threads = 64: 2 of
// All threads load, and what they loaded is thrown away.
__global__ void block_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int b0 = blockIdx.x * 256;
  __shared__ float p[256];
  volatile float d = i < n ? x[i] : 0;
  p[t] = d;
  __syncthreads();
  if (t < 2) {
    float s = 0;
    for (int k = t; k < 256; k += 2)
      if (b0 + k < n)
        s += x[b0 + k];
    p[t] = s;
  }
  __syncthreads();
  if (t == 0)
    out[blockIdx.x] = p[0] + p[1];
}
