// right: two pairs of tiles in turn, and one barrier a round
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[2][16][16], tb[2][16][16];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int first = 0, k = 0; first < n; first += 16, k ^= 1) {
    ta[k][y][x] = a[row * n + first + x];
    tb[k][y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum = fmaf(ta[k][y][i], tb[k][i][x], sum);
  }
  c[row * n + column] = sum;
}
