// wrong: the place is kept, and the number left out
// verdict: fail
// says: The upper half is 0
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMax(best, (unsigned long long)(0xffffffffu - i));
}
