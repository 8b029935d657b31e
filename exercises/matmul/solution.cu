// Write the kernel matmul: c = a b. a has m rows of k floats, b has k rows of n,
// c has m rows of n. c[row][column] is the sum over i of a[row][i] * b[i][column].
// The grid covers c; its x runs along a row.
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  // BEGIN SOLUTION
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
  // END SOLUTION
  // STARTER: int column = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int row = blockIdx.y * blockDim.y + threadIdx.y;
}
