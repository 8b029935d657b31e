// top[w] is to be the largest of the 32 elements that warp w of the grid looks
// after. That works while every warp is full. Mend it for any n. The elements
// may be negative; blocks have a multiple of 32 threads.
__global__ void warp_top(const int *x, int *top, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  int largest = i < n ? x[i] : -2147483647 - 1;
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));
  if (i % 32 == 0 && i < n) top[i / 32] = largest;
  // END SOLUTION
  // STARTER: if (i < n) {
  // STARTER:   int largest = x[i];
  // STARTER:   for (int far = 16; far > 0; far /= 2)
  // STARTER:     largest =
  // STARTER:       max(largest, __shfl_down_sync(0xffffffff, largest, far));
  // STARTER:   if (i % 32 == 0) top[i / 32] = largest;
  // STARTER: }
}
