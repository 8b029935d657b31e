// Write the kernel transpose: out has the columns of in as its rows. in has
// `rows` rows of `columns` floats, one row after the other; out has `columns`
// rows. The grid covers in; its x runs along a row.
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  // BEGIN SOLUTION
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[column * rows + row] = in[row * columns + column];
  // END SOLUTION
  // STARTER: int column = blockIdx.x * blockDim.x + threadIdx.x;
}
