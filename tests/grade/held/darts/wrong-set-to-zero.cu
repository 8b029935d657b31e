// wrong: one thread sets hits to 0 first, which it shall not, and while others already add
// verdict: fail
// says: No barrier orders two blocks
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__global__ void darts(int *hits, int n, int seed) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  if (first == 0) hits[0] = 0;
  __syncthreads();
  for (int d = first; d < n; d += gridDim.x * blockDim.x) {
    int x = mix(seed + 2 * d) >> 17;
    int y = mix(seed + 2 * d + 1) >> 17;
    if (x * x + y * y < 1 << 30) atomicAdd(hits, 1);
  }
}
