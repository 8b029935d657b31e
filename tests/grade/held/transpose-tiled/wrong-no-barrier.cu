// wrong: there is no barrier between filling the tile and reading what others put there
// verdict: fail
// says: A barrier is missing between
// only says: Nothing wrote this cell before
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (y + k < rows && x < columns)
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (y + k < columns && x < rows)
      out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
