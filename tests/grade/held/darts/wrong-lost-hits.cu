// wrong: threads read hits, add and store, and lose what others stored in between
// verdict: fail
// says: All these threads add to one cell
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__global__ void darts(int *hits, int n, int seed) {
  int stride = gridDim.x * blockDim.x, mine = 0;
  for (int d = blockIdx.x * blockDim.x + threadIdx.x; d < n; d += stride) {
    int x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;
    if (x * x + y * y < 1 << 30) mine++;
  }
  hits[0] += mine;
}
