// Write the kernel max_index: the largest of the n numbers of x, which are from 0
// to 2^20 - 1, and where it first occurs. Both go into best[0], which is 0 at the
// start: the largest number in the upper 32 bits, and 0xffffffff minus its index
// in the lower ones.
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  if (i >= n) return;
  unsigned long long value = x[i];
  unsigned place = 0xffffffffu - i;
  atomicMax(&best[0], value << 32 | place);
  // END SOLUTION
  // STARTER: if (i >= n) return;
  // STARTER: best[0] = x[i];
}
