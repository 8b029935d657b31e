// right: tiles of cooperative groups, the warps' totals scanned by the first warp
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename Tile> __device__ int up(Tile tile, int own) {
  for (int d = 1; d < tile.size(); d *= 2) {
    int below = tile.shfl_up(own, d);
    if (tile.thread_rank() >= d) own += below;
  }
  return own;
}

__global__ void scan_block(const int *x, int *out, int n) {
  __shared__ int totals[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank();
  int sum = up(tile, i < n ? x[i] : 0);
  if (tile.thread_rank() == 31) totals[tile.meta_group_rank()] = sum;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    int k = tile.thread_rank();
    int total = up(tile, k < tile.meta_group_size() ? totals[k] : 0);
    totals[k] = total;
  }
  block.sync();
  if (tile.meta_group_rank() > 0) sum += totals[tile.meta_group_rank() - 1];
  if (i < n) out[i] = sum;
}
