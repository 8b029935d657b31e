// Write the kernel outer_sum: out[r][c] = a[r] + b[c]. a has `rows` numbers, b
// has `columns`, out has rows * columns, one row after the other.
__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  // BEGIN SOLUTION
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[row * columns + column] = a[row] + b[column];
  // END SOLUTION
  // STARTER: // A thread has a row and a column: which way does x run?
}
