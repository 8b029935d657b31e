// wrong: the loop over the tiles begins with the second one
// verdict: fail
// says: -
__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ float left[16][17], right[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int r = blockIdx.y * 16 + ty, q = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int tile = 1; tile < (k + 15) / 16; tile++) {
    const int ca = tile * 16 + tx, rb = tile * 16 + ty;
    left[ty][tx] = r < m && ca < k ? a[r * k + ca] : 0.0f;
    right[ty][tx] = q < n && rb < k ? b[rb * n + q] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (r < m && q < n) c[r * n + q] = sum;
}
