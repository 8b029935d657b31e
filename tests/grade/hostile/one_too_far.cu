// expect: vector-add fail out-of-bounds line 6
// Every result is right; one cell behind the array is written, too.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
  if (i == 0) out[n] = 1;
}
