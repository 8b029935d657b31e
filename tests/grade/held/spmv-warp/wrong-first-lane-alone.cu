// wrong: right but slow, the first lane does the whole row and 31 watch
// verdict: fail
// says: Threads that took part in an instruction of a warp
// says: threads of a warp part here
__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows || threadIdx.x % 32 != 0) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; k++)
    sum += value[k] * x[column[k]];
  y[r] = sum;
}
