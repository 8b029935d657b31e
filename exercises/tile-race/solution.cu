// The product of two square matrices of n x n, tile by tile; n is a multiple of
// 16, and blocks have 16 x 16 threads. It is right for n = 16 and wrong on some
// days for more. Mend it.
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  // BEGIN SOLUTION
  for (int first = 0; first < n; first += 16) {
    ta[y][x] = a[row * n + first + x];
    tb[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  // END SOLUTION
  // STARTER: for (int first = 0; first < n; first += 16) {
  // STARTER:   ta[y][x] = a[row * n + first + x];
  // STARTER:   tb[y][x] = b[(first + y) * n + column];
  // STARTER:   __syncthreads();
  // STARTER:   for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
  // STARTER: }
  c[row * n + column] = sum;
}
