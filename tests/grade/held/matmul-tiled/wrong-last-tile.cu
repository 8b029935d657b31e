// wrong: k / 16 rounds down, so the last tile is left out unless k is a multiple of 16
// verdict: fail
// says: The last tile, which sticks out when k is no multiple of 16, is left out
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  __shared__ float sa[16][16];
  __shared__ float sb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0.0f;
  for (int tile = 0; tile < k / 16; tile++) {
    int ca = tile * 16 + x, rb = tile * 16 + y;
    sa[y][x] = (row < m && ca < k) ? a[row * k + ca] : 0.0f;
    sb[y][x] = (rb < k && column < n) ? b[rb * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
