// Write the kernel add: out[i] = x[i] + y[i] for every i below n.
// It is launched with one thread for each element, in whole blocks, so
// the grid may have more threads than there are elements.
__global__ void add(const float *x, const float *y, float *out, int n) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  // END SOLUTION
  // STARTER: // Which element is this thread's? Is there one?
}
