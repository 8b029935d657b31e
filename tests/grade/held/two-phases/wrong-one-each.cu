// wrong: no loop, each thread takes one element, and there are fewer threads than elements
// verdict: fail
// says: Each thread takes one element
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void center(const int *x, int *out, int *parts, int n) {
  __shared__ int total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (i < n) atomicAdd(&total, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
  cg::this_grid().sync();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += parts[b];
  if (i < n) out[i] = x[i] - sum / n;
}
