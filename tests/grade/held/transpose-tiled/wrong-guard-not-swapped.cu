// wrong: the guard of the store still compares the new row with rows and the new column with columns
// verdict: fail
// says: The guard of the stores is that of in
// only says: The indices of out go from 0 to 560
// only says: Nothing wrote this cell before
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}
