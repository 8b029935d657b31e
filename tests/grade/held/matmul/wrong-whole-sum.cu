// wrong: the sum is an int, so that each product is rounded off
// verdict: fail
// says: The sum is an int, so what stands behind the point is cut off with every product
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int sum = 0;
  if (row < m && column < n) {
    for (int i = 0; i < k; i++)
      sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
  }
}
