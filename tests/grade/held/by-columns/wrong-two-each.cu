// wrong: each thread does two neighbouring columns, so a warp's loads are two apart
// verdict: fail
// says: if threads side by side used addresses side by side
// says: if the bytes of each load, store and copy lay side by side
// says: Bytes that were asked for
__global__ void scale_rows(const float *m, const float *f, float *out, int rows,
                           int columns) {
  int column = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  for (int row = 0; row < rows; row++) {
    out[row * columns + column] = m[row * columns + column] * f[row];
    if (column + 1 < columns)
      out[row * columns + column + 1] = m[row * columns + column + 1] * f[row];
  }
}
