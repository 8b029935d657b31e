// wrong: i <= n lets the loop go one element beyond the end
// verdict: fail
// says: With i < n it stays out
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += stride)
    y[i] = a * x[i] + y[i];
}
