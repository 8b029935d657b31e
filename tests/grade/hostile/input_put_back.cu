// expect: vector-add fail input-written line 8
// Uses an input as scratch and puts it back.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float *scratch = (float *)x;
  if (i < n) {
    float keep = scratch[i];
    scratch[i] = keep + y[i];
    out[i] = scratch[i];
    scratch[i] = keep;
  }
}
