// tops[b] is to be the largest of block b's 32 elements, and top[0] the largest
// of all, found by the block that finishes last. It has been right a thousand
// times. Mend it. done is 0 before the launch.
__global__ void top_of_all(const int *x, int *tops, int *top, int *done) {
  int lane = threadIdx.x, largest = x[blockIdx.x * 32 + lane];
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));
  if (lane > 0) return;
  // BEGIN SOLUTION
  tops[blockIdx.x] = largest;
  __threadfence();
  if (atomicAdd(done, 1) == gridDim.x - 1) {
    __threadfence();
    for (int b = 0; b < gridDim.x; b++) largest = max(largest, tops[b]);
    top[0] = largest;
  }
  // END SOLUTION
  // STARTER: tops[blockIdx.x] = largest;
  // STARTER: if (atomicAdd(done, 1) == gridDim.x - 1) {
  // STARTER:   for (int b = 0; b < gridDim.x; b++)
  // STARTER:     largest = max(largest, tops[b]);
  // STARTER:   top[0] = largest;
  // STARTER: }
}
