// wrong: the index itself is in the lower bits, so of equal numbers the last wins and the answer has another form
// verdict: fail
// says: With i itself in the lower half the largest index wins
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long key = ((unsigned long long)x[i] << 32) | (unsigned)i;
  atomicMax(best, key);
}
