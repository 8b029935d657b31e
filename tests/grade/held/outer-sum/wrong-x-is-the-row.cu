// wrong: x counts rows and y columns, while the grid's x covers the columns
// verdict: fail
// says: Rows are counted along x, and columns along y
__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns) {
    out[row * columns + col] = a[row] + b[col];
  }
}
