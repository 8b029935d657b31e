// right: the first threads fetch the left halo, the last ones the right halo
#include <cooperative_groups.h>
#define RADIUS 4
__global__ void nine(const float *x, float *out, int n) {
  __shared__ float left[RADIUS], own[256], right[RADIUS];
  auto block = cooperative_groups::this_thread_block();
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  own[t] = i < n ? x[i] : 0;
  if (t < RADIUS) left[t] = i < RADIUS || i - RADIUS >= n ? 0 : x[i - RADIUS];
  int k = size - 1 - t;
  if (k < RADIUS) right[RADIUS - 1 - k] = i + RADIUS < n ? x[i + RADIUS] : 0;
  block.sync();
  float sum = 0;
  for (int far = -RADIUS; far <= RADIUS; far++) {
    int at = t + far;
    if (at < 0) sum += left[RADIUS + at];
    else if (at >= size) sum += right[at - size];
    else sum += own[at];
  }
  if (i < n) out[i] = sum;
}
