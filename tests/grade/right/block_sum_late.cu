// expect: block-sum
// All lanes but one of a warp come late to the function in which they shuffle.
__device__ __noinline__ float sum_warp(float sum) {
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  return sum;
}
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = i < n ? x[i] : 0;
  if (t % 32 != 5 && blockIdx.x == 0)
    for (int k = 0; k < 900; k++)
      if (x[k % n] > 1e30f) sum += 7;
  sum = sum_warp(sum);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = sum_warp(t < blockDim.x / 32 ? sums[t] : 0);
  if (t == 0) out[blockIdx.x] = sum;
}
