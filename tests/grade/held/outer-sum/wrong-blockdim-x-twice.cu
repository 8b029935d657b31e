// wrong: the row is computed with blockDim.x instead of blockDim.y (copied line)
// verdict: fail
// says: its first row is blockIdx.y * blockDim.y
__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.x + threadIdx.y;
  if (row < rows && column < columns)
    out[row * columns + column] = a[row] + b[column];
}
