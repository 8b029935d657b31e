// right: no pad: the column is mixed with the row by xor
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32 * 32];
  int x = threadIdx.x;
#pragma unroll
  for (int y = threadIdx.y; y < 32; y += 8) {
    int r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    if (r < rows && c < columns) tile[32 * y + (x ^ y)] = __ldg(&in[r * columns + c]);
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < 32; y += 8) {
    int r = blockIdx.x * 32 + y, c = blockIdx.y * 32 + x;
    if (r < columns && c < rows) out[r * rows + c] = tile[32 * x + (y ^ x)];
  }
}
