// Write the kernel spmv: y = A x, for a matrix A in compressed rows.
// Row r has the entries from start[r] up to, and without, start[r + 1]:
// value[k] stands in column column[k]. A row may be empty. There is a
// thread for each row.
__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  // Two loads for each entry that is there, one of x at any place at
  // all. A warp takes as long as its longest row: spmv-warp is next.
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; k++)
    sum += value[k] * x[column[k]];
  y[r] = sum;
  // END SOLUTION
}
