// wrong: the loop ends before the last merge, which is that of the whole piece
// verdict: fail
// says: This is what you get when the last size is left out
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[t] = i < n ? x[i] : 2147483647;
  __syncthreads();
  for (int k = 2; k < blockDim.x; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      int p = t ^ j;
      if (p > t) {
        if (((t & k) == 0 && desk[t] > desk[p]) ||
            ((t & k) != 0 && desk[t] < desk[p])) {
          int tmp = desk[t];
          desk[t] = desk[p];
          desk[p] = tmp;
        }
      }
      __syncthreads();
    }
  }
  if (i < n) x[i] = desk[t];
}
