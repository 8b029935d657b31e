// right: votes of a warp, one sum for each block
__device__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x85ebca6bu;
  v = (v ^ v >> 13) * 0xc2b2ae35u;
  return v ^ v >> 16;
}

__device__ bool inside(int d, int seed) {
  unsigned x = mix(seed + 2 * d) >> 17, y = mix(seed + 2 * d + 1) >> 17;
  return x * x + y * y < 1u << 30;
}

__global__ void darts(int *hits, int n, int seed) {
  __shared__ int block_hits;
  if (threadIdx.x == 0) block_hits = 0;
  __syncthreads();
  int step = gridDim.x * blockDim.x, sum = 0;
  for (int first = 0; first < n; first += step) {
    int d = first + blockIdx.x * blockDim.x + threadIdx.x;
    sum += __popc(__ballot_sync(__activemask(), d < n && inside(d, seed)));
  }
  if (threadIdx.x % 32 == 0) atomicAdd(&block_hits, sum);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(hits, block_hits);
}
