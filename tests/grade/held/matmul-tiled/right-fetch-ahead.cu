// right: the next tiles wait in registers while the present ones are used, two desks
__global__ void matmul(const float *a, const float *b, float *c, int m, int k,
                       int n) {
  __shared__ float ta[2][16][16], tb[2][16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  auto from_a = [&](int first) {
    return row < m && first + x < k ? a[row * k + first + x] : 0.0f;
  };
  auto from_b = [&](int first) {
    return column < n && first + y < k ? b[(first + y) * n + column] : 0.0f;
  };
  float sum = 0, next_a = from_a(0), next_b = from_b(0);
  for (int first = 0, desk = 0; first < k; first += 16, desk ^= 1) {
    ta[desk][y][x] = next_a;
    tb[desk][y][x] = next_b;
    __syncthreads();
    next_a = from_a(first + 16);
    next_b = from_b(first + 16);
#pragma unroll
    for (int i = 0; i < 16; i++)
      sum = fmaf(ta[desk][y][i], tb[desk][i][x], sum);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
