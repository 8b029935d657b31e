// right: the barriers in front of the writing and in front of the reading
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][17], tb[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  const float *from = a + (blockIdx.y * 16 + y) * n + x, *to = b + y * n + blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n / 16; k++, from += 16, to += 16 * n) {
    __syncthreads();
    ta[y][x] = *from;
    tb[x][y] = *to;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[x][i];
  }
  c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}
