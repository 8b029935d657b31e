// right: entries by fours where a row begins at a multiple of 4, a butterfly at the end
__global__ void spmv(const int *start, const int *column, const float *value, const float *x,
                     float *y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  int from = start[r], to = start[r + 1];
  float sum = 0;
  if (from % 4 == 0) {
    int fours = (to - from) / 4;
    for (int k = lane; k < fours; k += 32) {
      float4 v = ((const float4 *)(value + from))[k];
      int4 c = ((const int4 *)(column + from))[k];
      sum += v.x * x[c.x] + v.y * x[c.y] + v.z * x[c.z] + v.w * x[c.w];
    }
    from += 4 * fours;
  }
  for (int k = from + lane; k < to; k += 32) sum += value[k] * x[column[k]];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffff, sum, far);
  if (lane == 0) y[r] = sum;
}
