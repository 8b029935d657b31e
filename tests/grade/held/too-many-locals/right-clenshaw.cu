// right: Clenshaw's recurrence from the last coefficient down
__global__ void series(const float *__restrict__ x, const float *__restrict__ c, float *out, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], b1 = 0, b2 = 0;
  for (int k = degree; k > 0; k--) {
    float b = c[k] + 2 * v * b1 - b2;
    b2 = b1, b1 = b;
  }
  out[i] = c[0] + v * b1 - b2;
}
