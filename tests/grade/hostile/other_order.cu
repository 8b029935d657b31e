// expect: vector-add compile-error signature another order, (out, x, y, n); the exercise expects: __global__ void add(const float *x
// All types fit, and the result stands where an input is expected.
__global__ void add(float *out, float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}
