// wrong: the rounds end at a distance of 2, so the odd lanes' sums are left out
// verdict: fail
// says: The odd lanes' sums never come to lane 0
__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32)
    sum += value[k] * x[column[k]];
  for (int far = 16; far > 1; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (lane == 0) y[r] = sum;
}
