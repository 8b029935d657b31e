// expect: vector-add fail input-written line 8
// Writes to an input what it holds already.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float keep = x[i];
    out[i] = keep + y[i];
    *(volatile float *)(x + i) = keep;
  }
}
