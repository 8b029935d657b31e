// wrong: parts is added to and was never set to 0
// verdict: fail
// says: Nothing wrote this cell before it was read
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void center(const int *x, int *out, int *parts, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    atomicAdd(&parts[blockIdx.x], x[i]);
  grid.sync();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += parts[b];
  int mean = sum / n;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    out[i] = x[i] - mean;
}
