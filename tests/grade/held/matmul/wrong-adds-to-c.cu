// wrong: each product is added to what c held before, and nobody set that to 0
// verdict: fail
// says: With zeros in c before the launch the result is right
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < n && row < m)
    for (int i = 0; i < k; i++)
      c[row * n + column] += a[row * k + i] * b[i * n + column];
}
