__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

// Write the kernel darts: it adds to hits[0] how many of n darts hit
// the quarter circle. Dart d, from 0 to n - 1, lies at
// x = mix(seed + 2 * d) >> 17 and y = mix(seed + 2 * d + 1) >> 17, and
// hits where x * x + y * y < 1 << 30. There may be fewer threads than
// darts.
__global__ void darts(int *hits, int n, int seed) {
  // BEGIN SOLUTION
  // A thread counts in a register and goes to the cell once. Next: add
  // up the warp first, and go there once for 32.
  int stride = gridDim.x * blockDim.x, in = 0;
  for (int d = blockIdx.x * blockDim.x + threadIdx.x; d < n; d += stride) {
    int x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;
    if (x * x + y * y < 1 << 30) in++;
  }
  atomicAdd(&hits[0], in);
  // END SOLUTION
}
