// The kernel add_all is to add y to every element of x, below n, with any number
// of blocks and threads. It is right for the launch that its author tried. Mend
// it for the others.
__global__ void add_all(float *x, float y, int n) {
  // BEGIN SOLUTION
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] += y;
  // END SOLUTION
  // STARTER: for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
  // STARTER:   x[i] += y;
}
