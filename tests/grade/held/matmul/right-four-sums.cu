// right: four sums in registers, so four products at a time
__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b,
                       float *__restrict__ c, int m, int k, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  const float *along = a + row * k, *down = b + column;
  float sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= k; i += 4)
#pragma unroll
    for (int j = 0; j < 4; j++)
      sum[j] = fmaf(along[i + j], down[(i + j) * n], sum[j]);
  for (; i < k; i++) sum[0] = fmaf(along[i], down[i * n], sum[0]);
  c[row * n + column] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
