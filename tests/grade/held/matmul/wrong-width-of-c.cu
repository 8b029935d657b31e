// wrong: a row of a has k elements, and n are taken
// verdict: fail
// says: and the index
// says: A row of a has k floats, not n
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}
