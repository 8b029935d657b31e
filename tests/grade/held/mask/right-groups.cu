// right: a tile of a cooperative group
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void warp_top(const int *x, int *top, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = cg::reduce(tile, i < n ? x[i] : INT_MIN, cg::greater<int>());
  if (tile.thread_rank() == 0 && i < n) top[i / 32] = v;
}
