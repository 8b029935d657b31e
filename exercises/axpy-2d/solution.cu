// Write the kernel axpy: y = a * x + y for matrices of `rows` rows and
// `columns` columns. Both lie in memory with a gap at the end of each row: a
// row begins `pitch` elements behind the one before. The gaps stay as they are.
// The grid may have fewer threads than there are columns, and fewer than there
// are rows: a thread goes on to its next column, and to its next row.
__global__ void axpy(float a, const float *x, float *y, int rows, int columns,
                     int pitch) {
  // BEGIN SOLUTION
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int across = gridDim.x * blockDim.x, down = gridDim.y * blockDim.y;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (; row < rows; row += down)
    for (int column = first; column < columns; column += across)
      y[row * pitch + column] =
          a * x[row * pitch + column] + y[row * pitch + column];
  // END SOLUTION
  // STARTER: int column = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int row = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: int at = row * pitch + column;
  // STARTER: if (row < rows && column < columns) y[at] = a * x[at] + y[at];
}
