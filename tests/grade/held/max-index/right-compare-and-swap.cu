// right: a loop around compare-and-swap, the key as a product and a sum in signed 64 bits
__device__ unsigned long long key_of(long long value, long long index) {
  return value * 4294967296LL + (4294967295LL - index);
}

__global__ void max_index(const int *x, unsigned long long *best, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long mine = key_of(x[i], i);
    unsigned long long old = atomicAdd(best, 0ull);
    while (mine > old) {
      unsigned long long seen = atomicCAS(best, old, mine);
      if (seen == old) break;
      old = seen;
    }
  }
}
