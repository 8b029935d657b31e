// expect: saxpy fail
// One element is wrong after much work; nobody but the mutants can say why.
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int all = gridDim.x * blockDim.x;
  unsigned v = all;
  for (int k = 0; k < 4000; k++) v = v * 1664525 + (v >> 3);
  if (n < 0) y[0] = v;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += all)
    y[i] = a * x[i] + y[i];
}
