// Write the kernel count_if: counts[w] says how many of the elements that warp
// w of the grid looks after are above limit. Blocks have a multiple of 32
// threads, one for each element; the last warp may have fewer elements than
// threads. counts has a place for each warp with an element, and for no other.
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  bool up = i < n && x[i] > limit;
  unsigned hands = __ballot_sync(0xffffffff, up);
  if (i % 32 == 0 && i < n) counts[i / 32] = __popc(hands);
  // END SOLUTION
}
