// wrong: the last block has no fence between the tick and what it reads
// verdict: fail
// says: without a fence in between
// says: threads of a warp part here
__global__ void top_of_all(const int *x, int *tops, int *top, int *done) {
  int lane = threadIdx.x, largest = x[blockIdx.x * 32 + lane];
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));
  if (lane > 0) return;
  tops[blockIdx.x] = largest;
  __threadfence();
  if (atomicAdd(done, 1) == gridDim.x - 1) {
    for (int b = 0; b < gridDim.x; b++)
      largest = max(largest, tops[b]);
    top[0] = largest;
  }
}
