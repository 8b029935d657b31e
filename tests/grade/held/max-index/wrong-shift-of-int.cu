// wrong: x[i] is shifted by 32 as an int, before it is made 64 bits wide
// verdict: fail
// says: one of 32 bits, shifted by 32, is gone
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long key = (unsigned long long)(x[i] << 32) + (0xffffffffu - i);
  atomicMax(best, key);
}
