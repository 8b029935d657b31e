// wrong: a plain sum: what each addition loses is not kept
// verdict: fail
// says: the floats are added as they come
__global__ void row_sums(const float *x, float *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; c++) sum += x[r * columns + c];
  out[r] = sum;
}
