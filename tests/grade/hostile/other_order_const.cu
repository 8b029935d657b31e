// expect: vector-add compile-error signature another order, (c, a, b, count)
// The names are its own; const says what is read.
__global__ void add(float *c, const float *a, const float *b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    c[i] = a[i] + b[i];
}
