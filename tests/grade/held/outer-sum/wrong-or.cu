// wrong: the guard joins its two conditions with || instead of &&
// verdict: fail
// says: With row < rows && column < columns it stays out
// only says: Two threads have the same index: row * columns + column is 5
__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows || column < columns)
    out[row * columns + column] = a[row] + b[column];
}
