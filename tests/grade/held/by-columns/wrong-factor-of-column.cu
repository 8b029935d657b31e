// wrong: a thread is a column now, and the factor is still taken by the thread's index
// verdict: fail
// only says: f has 1 element, the last is f[0]
__global__ void scale_rows(const float *m, const float *f, float *out, int rows,
                           int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float factor = f[column];
  for (int row = 0; row < rows; row++)
    out[row * columns + column] = m[row * columns + column] * factor;
}
