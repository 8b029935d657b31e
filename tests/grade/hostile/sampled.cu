// expect: vector-add fail wrong-result
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i % 100 < 99 ? x[i] + y[i] : 0;
}
