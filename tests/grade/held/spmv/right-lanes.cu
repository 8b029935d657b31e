// right: the warp goes through its 32 rows one by one, all lanes on a row
__global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
  const int lane = threadIdx.x % 32, top = blockIdx.x * blockDim.x + threadIdx.x - lane;
  for (int r = top; r < min(top + 32, rows); r++) {
    float sum = 0;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32) sum += value[k] * x[column[k]];
    for (int far = 16; far; far >>= 1) sum += __shfl_down_sync(~0u, sum, far);
    if (lane == 0) y[r] = sum;
  }
}
