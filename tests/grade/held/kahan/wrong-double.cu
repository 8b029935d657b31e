// wrong: the sum is a double, where floats only are asked for
// verdict: fail
// says: Instructions on doubles
// only says: each load touches 4 sectors
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double sum = 0.0;
  for (int c = 0; c < columns; c++) sum += x[r * columns + c];
  out[r] = (float)sum;
}
