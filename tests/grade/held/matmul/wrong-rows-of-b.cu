// wrong: b is read along its rows, as if it were transposed
// verdict: fail
// says: This reads b along its rows
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; i++) {
      sum += a[row * k + i] * b[column * k + i];
    }
    c[row * n + column] = sum;
  }
}
