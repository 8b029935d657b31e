// The kernel scale is to compute out[i] = factor * x[i] for every i below n, in
// a grid of whole blocks. It has two mistakes, and both may go unseen for a
// long time. Mend it.
__global__ void scale(const float *x, float *out, float factor, int n) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * x[i];
  // END SOLUTION
  // STARTER: int i = blockIdx.x * 128 + threadIdx.x;
  // STARTER: if (i <= n) out[i] = factor * x[i];
}
