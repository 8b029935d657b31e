// expect: vector-add fail not "line": 6
// A mistake at a line that depends on a hidden case's size would tell of it.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (n == 100003 && i == 0) out[n] = 1;
}
