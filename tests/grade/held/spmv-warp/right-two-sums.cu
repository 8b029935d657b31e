// right: two entries at a time in two registers, butterfly shuffles, the last lane stores
template <typename T> __device__ T sum_of_warp(T v) {
#pragma unroll
  for (int mask = 1; mask < 32; mask <<= 1)
    v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}

__global__ void spmv(const int *__restrict__ start,
                     const int *__restrict__ column,
                     const float *__restrict__ value,
                     const float *__restrict__ x, float *__restrict__ y,
                     int rows) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned r = thread >> 5, lane = thread & 31;
  float even = 0, odd = 0;
  if (r < rows) {
    int end = start[r + 1], k = start[r] + lane;
    for (; k + 32 < end; k += 64) {
      even += value[k] * x[column[k]];
      odd += value[k + 32] * x[column[k + 32]];
    }
    if (k < end) even += value[k] * x[column[k]];
  }
  float sum = sum_of_warp(even + odd);
  if (lane == 31 && r < rows) y[r] = sum;
}
