// wrong: the radius is taken to be 2^16
// verdict: fail
// says: All darts hit
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__global__ void darts(int *hits, int n, int seed) {
  int in = 0;
  for (int d = blockIdx.x * blockDim.x + threadIdx.x; d < n; d += gridDim.x * blockDim.x) {
    unsigned x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;
    if (x * x + y * y < 0xffffffffu) in++;
  }
  atomicAdd(hits, in);
}
