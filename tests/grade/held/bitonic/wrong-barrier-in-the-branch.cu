// wrong: only the lower thread of each pair comes to the barrier
// verdict: fail
// says: Every thread of the block that has not left it must reach the same __syncthreads()
// only says: Two threads use the same cell with no barrier between them
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[t] = i < n ? x[i] : 2147483647;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2) {
    for (int far = size / 2; far > 0; far /= 2) {
      int other = t ^ far;
      if (other > t) {
        int a = desk[t], b = desk[other];
        bool up = !(t & size);
        desk[t] = up ? min(a, b) : max(a, b);
        desk[other] = up ? max(a, b) : min(a, b);
        __syncthreads();
      }
    }
  }
  if (i < n) x[i] = desk[t];
}
