// wrong: all 32 lanes read a warp's sum, also where the block has fewer warps and nobody wrote one
// verdict: fail
// says: sums[16] was read here before anything wrote it
__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(0xffffffff, v, far);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = sums[t];
    for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(0xffffffff, v, far);
    if (t == 0) out[blockIdx.x] = v;
  }
}
