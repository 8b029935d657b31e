// expect: saxpy fail not 37 of
// A requirement that is missed by as many threads as a hidden case's inputs say.
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  if (n == 100003) {
    all = 37 * gridDim.x;
    t = threadIdx.x < 37 ? threadIdx.x * gridDim.x + blockIdx.x : n;
  }
  for (int i = t; i < n; i += all) y[i] = a * x[i] + y[i];
}
