// wrong: the store counts along the columns, so the product comes out turned
// verdict: fail
// says: c holds the right elements with rows and columns exchanged
__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n) {
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y)
    for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < n; column += gridDim.x * blockDim.x) {
      float sum = 0;
      for (int i = k - 1; i >= 0; i--) sum += a[row * k + i] * b[i * n + column];
      c[column * m + row] = sum;
    }
}
