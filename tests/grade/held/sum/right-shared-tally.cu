// right: each warp reduces in one instruction and adds to the block's tally in shared memory
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum(const int *x, int *total, int n) {
  __shared__ int tally;
  auto grid = cg::this_grid();
  if (threadIdx.x == 0) tally = 0;
  __syncthreads();
  int mine = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) mine += x[i];
  mine = __reduce_add_sync(0xffffffffu, mine);
  if ((threadIdx.x & 31) == 0) atomicAdd_block(&tally, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, tally);
}
