// wrong: the distances grow, and begin with 2
// verdict: fail
// says: The odd lanes' sums never come to lane 0
__global__ void spmv(const int *start, const int *column, const float *value, const float *x,
                     float *y, int rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row] + t % 32; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int far = 2; far < 32; far *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  if (t % 32 == 0) y[row] = sum;
}
