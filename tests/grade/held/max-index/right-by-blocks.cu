// right: the block's largest first, in shared memory by an atomic, then one atomic a block
__global__ void max_index(const int *x, unsigned long long *best, int n) {
  __shared__ unsigned long long largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned low = 0xffffffffu - i;
    unsigned high = x[i];
    atomicMax(&largest, (unsigned long long)high << 32 | low);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&best[0], largest);
}
