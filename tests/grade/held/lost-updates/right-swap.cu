// right: the largest by compare-and-swap, payments in strides of the grid
__global__ void book(const int *to, const int *amount, int *account, int *largest, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int much = amount[i], seen = 0;
    atomicAdd(&account[to[i]], much);
    while (much > seen) {
      int old = atomicCAS(largest, seen, much);
      if (old == seen) break;
      seen = old;
    }
  }
}
