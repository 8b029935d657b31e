// matmul is right, and every thread fetches a whole row of a and a whole column
// of b from global memory. Make the block do it together: fetch a tile of
// 16 x 16 of a and one of b, add up their products, and go on to the next two.
// m, k and n can be anything; blocks have 16 x 16 threads.
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  // BEGIN SOLUTION
  __shared__ float ta[16][16], tb[16][16];
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    bool in_a = row < m && first + x < k, in_b = first + y < k && column < n;
    ta[y][x] = in_a ? a[row * k + first + x] : 0;
    tb[y][x] = in_b ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
  // END SOLUTION
  // STARTER: if (row >= m || column >= n) return;
  // STARTER: float sum = 0;
  // STARTER: for (int i = 0; i < k; i++)
  // STARTER:   sum += a[row * k + i] * b[i * n + column];
  // STARTER: c[row * n + column] = sum;
}
