// right: the whole last warp reads the tops, with a fence in each thread
__global__ void top_of_all(const int *x, int *tops, int *top, int *done) {
  const int lane = threadIdx.x;
  int largest = x[32 * blockIdx.x + lane];
  for (int mask = 1; mask < 32; mask *= 2) {
    int other = __shfl_xor_sync(0xffffffff, largest, mask);
    largest = other > largest ? other : largest;
  }
  int tick = 0;
  if (lane == 0) {
    tops[blockIdx.x] = largest;
    __threadfence();
    tick = atomicAdd(done, 1);
    __threadfence();
  }
  __syncwarp();
  tick = __shfl_sync(0xffffffff, tick, 0);
  if (tick != (int)gridDim.x - 1) return;
  __threadfence();
  for (int b = lane; b < (int)gridDim.x; b += 32)
    largest = max(largest, tops[b]);
  for (int mask = 16; mask; mask >>= 1)
    largest = max(largest, __shfl_xor_sync(0xffffffff, largest, mask));
  if (lane == 0) top[0] = largest;
}
