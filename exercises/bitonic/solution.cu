// Write the kernel bitonic: each block sorts its own piece of x,
// upwards, in place. A block has a power of two of threads, 64 to 512,
// and a piece as many elements; the last piece may have fewer.
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // BEGIN SOLUTION
  // k (k + 1) / 2 rounds for 2^k elements, and half the threads idle in
  // each. Next: let each thread do a pair, so that a block sorts twice
  // as many.
  desk[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int other = t ^ far;
      bool up = (t & size) == 0;
      if (t < other && (desk[t] > desk[other]) == up) {
        int keep = desk[t];
        desk[t] = desk[other];
        desk[other] = keep;
      }
      __syncthreads();
    }
  if (i < n) x[i] = desk[t];
  // END SOLUTION
}
