// wrong: the first warp reads the warps' sums without a barrier after they were written
// verdict: fail
// says: A barrier is missing between
// only says: Nothing wrote this cell before
__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int lane = t % 32, warp = t / 32;
  float v = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(0xffffffff, v, far);
  if (lane == 0) sums[warp] = v;
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(0xffffffff, v, far);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
