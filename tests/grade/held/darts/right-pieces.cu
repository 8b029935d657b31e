// right: a piece of neighbouring darts for each thread, in 64 bits, from the last to the first
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

template <typename Number> __device__ Number square(Number v) { return v * v; }

__global__ void darts(int *hits, int n, int seed) {
  long long threads = (long long)gridDim.x * blockDim.x;
  long long me = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  int first = me * n / threads, end = (me + 1) * n / threads, mine = 0;
  for (int d = end - 1; d >= first; d--) {
    unsigned counter = seed + 2u * d;
    long long x = mix(counter) >> 17, y = mix(counter + 1) >> 17;
    mine += square(x) + square(y) < 1LL << 30 ? 1 : 0;
  }
  if (mine > 0) atomicAdd(hits, mine);
}
