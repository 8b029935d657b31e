// right: a desk with an empty cell at each end, and a cooperative group's barrier
#include <cooperative_groups.h>
__global__ void smooth(const float *x, float *out) {
  __shared__ float desk[258];
  int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  desk[t + 1] = x[i];
  if (t == 0) desk[0] = desk[n + 1] = 0;
  cooperative_groups::this_thread_block().sync();
  float sum = desk[t + 1] + desk[t] + desk[t + 2];
  out[i] = sum / (3 - (t == 0) - (t == n - 1));
}
