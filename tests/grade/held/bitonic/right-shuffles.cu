// right: near partners by shuffles, far ones by way of the desk; each thread keeps one
__global__ void bitonic(int *x, int n) {
  __shared__ int desk[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int own = i < n ? x[i] : 0x7fffffff;
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int other;
      if (far < 32) {
        other = __shfl_xor_sync(0xffffffff, own, far);
      } else {
        desk[t] = own;
        __syncthreads();
        other = desk[t ^ far];
        __syncthreads();
      }
      bool up = (t & size) == 0, low = (t & far) == 0;
      own = up == low ? min(own, other) : max(own, other);
    }
  if (i < n) x[i] = own;
}
