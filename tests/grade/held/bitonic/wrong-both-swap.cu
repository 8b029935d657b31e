// wrong: both threads of a pair exchange, at the same time
// verdict: fail
// says: and do the same work on it at the same time
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int low = min(t, t ^ far), high = max(t, t ^ far);
      bool up = (t & size) == 0;
      if (up ? desk[low] > desk[high] : desk[low] < desk[high]) {
        int keep = desk[low];
        desk[low] = desk[high];
        desk[high] = keep;
      }
      __syncthreads();
    }
  if (i < n) x[i] = desk[t];
}
