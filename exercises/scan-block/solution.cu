// Write the kernel scan_block: out[i] is the sum of the elements of i's block
// up to i, x[i] included. Blocks have a multiple of 32 threads, up to 1024, one
// for each element; the last block may have fewer elements than threads.
__global__ void scan_block(const int *x, int *out, int n) {
  // BEGIN SOLUTION
  __shared__ int totals[32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int i = blockIdx.x * blockDim.x + t;
  int sum = i < n ? x[i] : 0;
  for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int total = lane < blockDim.x / 32 ? totals[lane] : 0;
    for (int far = 1; far < 32; far *= 2) {
      int below = __shfl_up_sync(0xffffffff, total, far);
      if (lane >= far) total += below;
    }
    totals[lane] = total;
  }
  __syncthreads();
  if (warp > 0) sum += totals[warp - 1];
  if (i < n) out[i] = sum;
  // END SOLUTION
}
