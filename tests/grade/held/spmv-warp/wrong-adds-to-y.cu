// wrong: all lanes add their sums to y[r], which was never set to 0
// verdict: fail
// says: With zeros in y before the launch the result is right
__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int r = thread / 32, lane = thread % 32;
  if (r < rows) {
    float sum = 0;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32)
      sum += value[k] * x[column[k]];
    atomicAdd(&y[r], sum);
  }
}
