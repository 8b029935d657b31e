// wrong: threads beyond n have left, so shuffles read from lanes that are gone, and warps' sums are missing
// verdict: fail
// says: from a thread that has left
// only says: sums[2] was read here before
__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  int lane = t & 31, warp = t >> 5;
  float v = x[i];
  for (int far = 16; far > 0; far >>= 1) v += __shfl_down_sync(0xffffffff, v, far);
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int far = 16; far > 0; far >>= 1) v += __shfl_down_sync(0xffffffff, v, far);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
