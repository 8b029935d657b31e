// wrong: no barrier behind the products, so a fast warp overwrites the tile
// verdict: fail
// says: A barrier is missing between the rounds of the loop on line 10
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    ta[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    tb[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
