// expect: block-sum fail race
// Much work, and a barrier too few.
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i;
  for (int k = 0; k < 2000; k++) v = v * 1664525 + (v >> 3);
  part[threadIdx.x] = i < n ? x[i] : n < 0 ? v : 0;
  for (int s = blockDim.x / 2; s > 0; s /= 2)
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
