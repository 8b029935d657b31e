// Write the kernel center: first find the mean of x, then subtract it from each
// element, out[i] = x[i] - mean, in one launch. The launch is cooperative, so all
// its blocks can wait for each other. There are fewer threads than elements.
// parts has one int for each block, for what the blocks tell each other. The
// numbers are whole, and so is the mean: n divides their sum.
#include <cooperative_groups.h>

__global__ void center(const int *x, int *out, int *parts, int n) {
  // BEGIN SOLUTION
  __shared__ int sums[128];
  int t = threadIdx.x, first = blockIdx.x * 128 + t, all = gridDim.x * 128;
  int sum = 0;
  for (int i = first; i < n; i += all) sum += x[i];
  sums[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) parts[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; i < n; i += all) out[i] = x[i] - total / n;
  // END SOLUTION
}
