// The kernel add_rows is to add v[c] to every element of column c. It is right
// for square matrices. Mend it for the others.
__global__ void add_rows(float *m, const float *v, int rows, int columns) {
  // BEGIN SOLUTION
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) m[r * columns + c] += v[c];
  // END SOLUTION
  // STARTER: int c = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int r = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: if (c < rows && r < columns) m[r * rows + c] += v[c];
}
