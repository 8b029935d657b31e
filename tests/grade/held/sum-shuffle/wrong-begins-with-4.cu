// wrong: the butterfly within a warp begins with 4, so lane 0 has the sum of lanes 0 to 7
// verdict: fail
// says: -
__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float part[32];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = 0.0f;
  if (i < n) v = x[i];
  for (int far = 4; far >= 1; far >>= 1) v += __shfl_xor_sync(0xffffffffu, v, far);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t >= 32) return;
  v = 0.0f;
  if (t < blockDim.x / 32) v = part[t];
  for (int far = 1; far <= 16; far <<= 1) v += __shfl_xor_sync(0xffffffffu, v, far);
  if (t == 0) out[blockIdx.x] = v;
}
