// wrong: the tile is 32 wide, so a column of it lies in one bank: right, and slow
// verdict: fail
// says: threads of a warp want different words of one bank
// says: shared_bank_conflicts <= 0
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (y + k < rows && x < columns)
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (y + k < columns && x < rows)
      out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
