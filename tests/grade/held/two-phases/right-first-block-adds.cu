// right: the first block adds the parts up and tells all others, two barriers of the grid
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void center(const int *x, int *out, int *parts, int n) {
  __shared__ int sums[32];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int mine = 0;
  for (long long i = grid.thread_rank(); i < n; i += grid.size()) mine += x[i];
  mine = cg::reduce(tile, mine, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = mine;
  block.sync();
  if (block.thread_rank() == 0) {
    int total = 0;
    for (int w = 0; w < tile.meta_group_size(); w++) total += sums[w];
    parts[blockIdx.x] = total;
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; b++) total += parts[b];
    parts[0] = total / n;
  }
  grid.sync();
  int mean = parts[0];
  for (long long i = grid.thread_rank(); i < n; i += grid.size())
    out[i] = x[i] - mean;
}
