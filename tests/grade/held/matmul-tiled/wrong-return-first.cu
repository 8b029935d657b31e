// wrong: threads outside of c leave before the barriers, and before they have fetched
// verdict: fail
// only says: Nothing wrote this cell before it was read
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    ta[y][x] = first + x < k ? a[row * k + first + x] : 0;
    tb[y][x] = first + y < k ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
