// Write the kernel pool, which makes a picture smaller: out[r][c] is the
// greatest element of a window of x, whose first row is r * step and whose
// first column is c * step. A window has w rows and w columns; what would lie
// outside of x does not count. x has `rows` rows and `columns` columns, out has
// one row for each `step` rows of x (the last ones may be fewer), and columns
// likewise.
__global__ void pool(const float *x, float *out, int rows, int columns, int w,
                     int step) {
  // BEGIN SOLUTION
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int across = (columns + step - 1) / step;
  int top = r * step, left = c * step;
  if (top >= rows || left >= columns) return;
  float most = x[top * columns + left];
  for (int row = top; row < min(top + w, rows); row++)
    for (int column = left; column < min(left + w, columns); column++)
      most = fmaxf(most, x[row * columns + column]);
  out[r * across + c] = most;
  // END SOLUTION
  // STARTER: int c = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int r = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: // Which window is this thread's? Does it begin inside of x?
}
