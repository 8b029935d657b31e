// wrong: the loop over the tiles was forgotten: only the first 16 products of each sum are made
// verdict: fail
// says: only the first tile of a and of b
__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ float left[16 * 16], right[16 * 16];
  const int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  const int me = threadIdx.y * 16 + threadIdx.x;
  left[me] = r < m && threadIdx.x < k ? a[r * k + threadIdx.x] : 0.0f;
  right[me] = q < n && threadIdx.y < k ? b[threadIdx.y * n + q] : 0.0f;
  __syncthreads();
  if (r >= m || q >= n) return;
  float even = 0, odd = 0;
  for (int i = 0; i < 16; i += 2) {
    even += left[threadIdx.y * 16 + i] * right[i * 16 + threadIdx.x];
    odd += left[threadIdx.y * 16 + i + 1] * right[(i + 1) * 16 + threadIdx.x];
  }
  c[r * n + q] = even + odd;
}
