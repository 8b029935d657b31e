// wrong: looks and then writes, without an atomic: two threads may both find themselves larger
// verdict: fail
// says: race on best[0] (global)
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long key = ((unsigned long long)x[i] << 32) | (0xffffffffu - (unsigned)i);
  if (key > best[0]) best[0] = key;
}
