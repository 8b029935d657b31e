// expect: vector-add fail input-written line 7
// Makes its own wrong answer right by changing what it is compared with.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i] + y[i];
    ((float *)x)[i] = 0;
  }
}
