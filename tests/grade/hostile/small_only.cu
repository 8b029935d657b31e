// expect: vector-add fail hidden
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && n < 50000) out[i] = x[i] + y[i];
}
