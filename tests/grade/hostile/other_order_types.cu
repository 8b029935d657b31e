// expect: vector-add compile-error signature another order, (n, x, y, out)
// The number comes first.
__global__ void add(int n, const float *x, const float *y, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}
