// right: the first warp does the row by itself, with shuffles and nothing shared
#include <math.h>

__device__ float greatest(float v) {
  for (int far = 16; far; far /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, far));
  return v;
}

__device__ float total(float v) {
  for (int far = 16; far; far /= 2) v += __shfl_xor_sync(~0u, v, far);
  return v;
}

__global__ void softmax(const float *x, float *out, int n) {
  if (threadIdx.x >= 32) return;
  const float *row = x + blockIdx.x * n;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) most = fmaxf(most, row[i]);
  most = greatest(most);
  for (int i = threadIdx.x; i < n; i += 32) sum += expf(row[i] - most);
  sum = total(sum);
  for (int i = threadIdx.x; i < n; i += 32) out[blockIdx.x * n + i] = expf(row[i] - most) / sum;
}
