// Write the kernel warp_sum: out[w] is the sum of the 32 elements that warp w
// of the grid looks after, passed from lane to lane. Blocks have a multiple of
// 32 threads, one for each element; the last warp may have fewer elements than
// threads.
__global__ void warp_sum(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  int sum = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (i % 32 == 0 && i < n) out[i / 32] = sum;
  // END SOLUTION
  // STARTER: int sum = i < n ? x[i] : 0;
}
