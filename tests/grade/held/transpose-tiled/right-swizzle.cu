// right: no padding: the column in the tile is exchanged by XOR with the row
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32 * 32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
#pragma unroll
  for (int j = ty; j < 32; j += 8) {
    if (r0 + j < rows && c0 + tx < columns)
      tile[j * 32 + (tx ^ j)] = in[(r0 + j) * columns + c0 + tx];
  }
  __syncthreads();
#pragma unroll
  for (int j = ty; j < 32; j += 8) {
    if (c0 + j < columns && r0 + tx < rows)
      out[(c0 + j) * rows + r0 + tx] = tile[tx * 32 + (j ^ tx)];
  }
}
