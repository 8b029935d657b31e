// wrong: x is taken at the entry's own place and not at its column
// verdict: fail
// says: -
__global__ void hearsay(const int *start, const int *column, const float *score, const float *x,
                        float *heard, int rows) {
  const unsigned all = 0xffffffffu;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float top = -1e30f, weights = 0, told = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) {
    float s = score[k], value = x[k % 512];
    if (s > top) {
      float shrink = expf(top - s);
      weights *= shrink;
      told *= shrink;
      top = s;
    }
    float weight = expf(s - top);
    weights += weight;
    told += weight * value;
  }
  float highest = top;
  for (int far = 16; far > 0; far >>= 1)
    highest = fmaxf(highest, __shfl_xor_sync(all, highest, far));
  float shrink = expf(top - highest);
  weights *= shrink;
  told *= shrink;
  for (int far = 16; far > 0; far >>= 1) {
    weights += __shfl_xor_sync(all, weights, far);
    told += __shfl_xor_sync(all, told, far);
  }
  if (lane == 0) heard[row] = weights > 0 ? told / weights : 0;
}
