// Write the kernel twice: out[i] = 2 * x[i] for every i below n.
__global__ void twice(const float *x, float *out, int n) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
  // END SOLUTION
  // STARTER: // Which element is this thread's? Is there one?
}
