// right: pointers walk down a column, four rows at a time
__global__ void scale_rows(const float *m, const float *f, float *out, int rows,
                           int columns) {
  const int c = threadIdx.x + blockIdx.x * blockDim.x;
  if (c < columns) {
    const float *from = m + c;
    float *to = out + c;
    int r = 0;
    for (; r + 3 < rows; r += 4) {
      float v0 = from[0], v1 = from[columns], v2 = from[2 * columns], v3 = from[3 * columns];
      to[0] = f[r] * v0;
      to[columns] = f[r + 1] * v1;
      to[2 * columns] = f[r + 2] * v2;
      to[3 * columns] = f[r + 3] * v3;
      from += 4 * columns;
      to += 4 * columns;
    }
    while (r < rows) {
      *to = *from * f[r++];
      from += columns;
      to += columns;
    }
  }
}
