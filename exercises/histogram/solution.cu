// Write the kernel histogram: for each of the n bytes of x, one is added to
// bins[that byte]. bins has 256 cells, which may hold counts already. The grid
// may have fewer threads than there are bytes.
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  // BEGIN SOLUTION
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[x[i]], 1);
  // END SOLUTION
  // STARTER: int i = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: if (i < n) bins[x[i]] = 1;
}
