// expect: vector-add fail input-written line 7
// An atomic is a write, also one that changes nothing.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i] + y[i];
    atomicAdd((float *)y + i, 0.0f);
  }
}
