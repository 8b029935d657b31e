// wrong: a row of out is columns long, not rows: the index multiplies by the wrong one
// verdict: fail
// says: Two threads have the same index: r * rows + c is 3
// says: the index r * rows + c is 77
__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  out[r * rows + c] = a[r] + b[c];
}
