// wrong: the random number is an int before it is shifted, so the sign comes down with it
// verdict: fail
// says: Shifted as an int, a number keeps its sign
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__global__ void darts(int *hits, int n, int seed) {
  int count = 0;
  for (int d = blockIdx.x * blockDim.x + threadIdx.x; d < n;
       d += gridDim.x * blockDim.x) {
    int x = mix(seed + 2 * d);
    int y = mix(seed + 2 * d + 1);
    x = x >> 17;
    y = y >> 17;
    if (x * x + y * y < (1 << 30)) count++;
  }
  atomicAdd(&hits[0], count);
}
