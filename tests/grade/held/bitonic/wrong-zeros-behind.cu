// wrong: the empty cells of the last piece are filled with 0, which sorts to the front
// verdict: fail
// says: This is what you get when the empty cells hold 0
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int other = t ^ far;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((desk[t] > desk[other]) == up) {
          int keep = desk[t];
          desk[t] = desk[other];
          desk[other] = keep;
        }
      }
      __syncthreads();
    }
  if (i < n) x[i] = desk[t];
}
