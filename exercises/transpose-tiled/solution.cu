// transpose turns rows into columns: out[c][r] = in[r][c]. Blocks have 32 x 8
// threads and look after 32 x 32 elements each. It is right; its loads are side
// by side and its stores are not. Make it fast: by way of shared memory, with no
// bank conflict.
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  // BEGIN SOLUTION
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
  __syncthreads();
  int across = blockIdx.y * 32 + threadIdx.x;
  int down = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (down + k < columns && across < rows)
      out[(down + k) * rows + across] = tile[threadIdx.x][threadIdx.y + k];
  // END SOLUTION
  // STARTER: int column = blockIdx.x * 32 + threadIdx.x;
  // STARTER: int row = blockIdx.y * 32 + threadIdx.y;
  // STARTER: for (int k = 0; k < 32; k += 8)
  // STARTER:   if (row + k < rows && column < columns)
  // STARTER:     out[column * rows + row + k] = in[(row + k) * columns + column];
}
