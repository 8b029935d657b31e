// wrong: dart d takes the numbers d and d + 1, so neighbouring darts share one
// verdict: fail
// says: Dart d has the numbers d and d + 1, so its y is the x of the next dart
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__global__ void darts(int *hits, int n, int seed) {
  int stride = gridDim.x * blockDim.x;
  int mine = 0;
  for (int d = blockIdx.x * blockDim.x + threadIdx.x; d < n; d += stride) {
    int x = mix(seed + d) >> 17;
    int y = mix(seed + d + 1) >> 17;
    if (x * x + y * y < 1 << 30) mine = mine + 1;
  }
  atomicAdd(hits, mine);
}
