// wrong: a thread's place in its block stands where its place in its warp should
// verdict: fail
// says: threadIdx.x is the thread's place in its block
__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r] + threadIdx.x; k < start[r + 1]; k += 32)
    sum += value[k] * x[column[k]];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (threadIdx.x % 32 == 0) y[r] = sum;
}
