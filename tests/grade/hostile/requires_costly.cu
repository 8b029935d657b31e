// expect: block-sum timeout to follow what the results are made of
// What it does with each element is too much to follow.
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float p[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  float v = i < n ? x[i] : 0;
  unsigned h = __float_as_int(v);
#pragma unroll 1
  for (int k = 0; k < 3000; k++)
    h = (h * 1664525u + 1013904223u) ^ (h >> 3);
  if (h == 12345u)
    v += 1;
  p[t] = v;
  __syncthreads();
  for (int o = 128; o; o /= 2) {
    if (t < o)
      p[t] += p[t + o];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = p[0];
}
