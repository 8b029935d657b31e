// Write the kernel saxpy: y[i] = a * x[i] + y[i] for every i below n.
// The grid may have fewer threads than there are elements: a thread that
// has done one element goes on to the next one that is its own.
__global__ void saxpy(float a, const float *x, float *y, int n) {
  // BEGIN SOLUTION
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = a * x[i] + y[i];
  // END SOLUTION
  // STARTER: int i = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: if (i < n) y[i] = a * x[i] + y[i];
}
