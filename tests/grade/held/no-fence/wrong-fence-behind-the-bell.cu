// wrong: the fence stands behind the tick, so the tick may be seen before tops
// verdict: fail
// says: Line 9 writes, and atomicAdd on line 10 tells others of it: without __threadfence() between the two lines they may see the second before the first
__global__ void top_of_all(const int *x, int *tops, int *top, int *done) {
  int lane = threadIdx.x, largest = x[blockIdx.x * 32 + lane];
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));
  if (lane > 0) return;
  tops[blockIdx.x] = largest;
  int before = atomicAdd(done, 1);
  __threadfence();
  if (before == gridDim.x - 1) {
    for (int b = 0; b < gridDim.x; b++)
      largest = max(largest, tops[b]);
    top[0] = largest;
  }
}
