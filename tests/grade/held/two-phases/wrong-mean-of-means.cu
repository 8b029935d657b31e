// wrong: the blocks' sums are divided by n one by one, so what each rounds off is lost
// verdict: fail
// says: Each block's sum is divided by n by itself
#include <cooperative_groups.h>

__global__ void center(const int *x, int *out, int *parts, int n) {
  __shared__ int sums[1024];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x + t;
  int stride = gridDim.x * blockDim.x, sum = 0;
  for (int i = first; i < n; i += stride) sum += x[i];
  sums[t] = sum;
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int k = 0; k < blockDim.x; k++) total += sums[k];
    parts[blockIdx.x] = total / n;
  }
  cooperative_groups::this_grid().sync();
  int mean = 0;
  for (int b = 0; b < gridDim.x; b++) mean += parts[b];
  for (int i = first; i < n; i += stride) out[i] = x[i] - mean;
}
