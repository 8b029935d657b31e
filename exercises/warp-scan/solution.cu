// Write the kernel warp_scan: out[i] is the sum of the elements of i's warp
// that lie before i, without x[i] itself: an exclusive scan of each warp. Blocks
// have a multiple of 32 threads, one for each element; the last warp may have
// fewer elements than threads.
__global__ void warp_scan(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  // BEGIN SOLUTION
  int mine = i < n ? x[i] : 0, sum = mine;
  for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;
  }
  if (i < n) out[i] = sum - mine;
  // END SOLUTION
}
