// wrong: the thread's index is a column, and the guard still compares it with rows
// verdict: fail
// only says: column >= rows is false and row < rows hold here
// only says: Two threads use the same cell
__global__ void scale_rows(const float *m, const float *f, float *out, int rows,
                           int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= rows) return;
  for (int row = 0; row < rows; row++)
    out[row * columns + column] = m[row * columns + column] * f[row];
}
