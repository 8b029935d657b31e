// wrong: right but slow, only a goes by way of shared memory
// verdict: fail
// only says: global_bytes <= 160000
// only says: global_bytes <= 78000
// only says: threads of a warp want different words of one bank
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  __shared__ float ta[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    ta[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    __syncthreads();
    if (column < n)
      for (int i = 0; i < 16 && first + i < k; i++)
        sum += ta[y][i] * b[(first + i) * n + column];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
