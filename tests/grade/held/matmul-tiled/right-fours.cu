// right: b's tile lies turned, so that both come from shared memory by float4
__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ float ta[16][20], tb[16][20];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    ta[y][x] = row < m && first + x < k ? __ldg(a + row * k + first + x) : 0.f;
    tb[x][y] = first + y < k && column < n ? __ldg(b + (first + y) * n + column) : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      float4 p = *(float4 *)&ta[y][i], q = *(float4 *)&tb[x][i];
      sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
