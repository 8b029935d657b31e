// wrong: ~i is a negative int: made 64 bits wide it fills the upper half with ones
// verdict: fail
// says: ~i is an int below 0
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long key = ((unsigned long long)x[i] << 32) | ~i;
  atomicMax(best, key);
}
