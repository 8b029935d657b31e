// right: the matrix as one long array, strides of the grid, the row by division
__global__ void scale_rows(const float *m, const float *f, float *out, int rows,
                           int columns) {
  int threads = gridDim.x * blockDim.x;
  int total = rows * columns;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += threads)
    out[i] = m[i] * f[i / columns];
}
