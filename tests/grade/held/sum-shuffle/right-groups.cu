// right: cooperative groups, a sum of the tile, then one thread walks over the warps' sums
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float sums[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float total = cg::reduce(tile, i < n ? x[i] : 0.0f, cg::plus<float>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = total;
  block.sync();
  if (block.thread_rank() == 0) {
    for (int w = 1; w < tile.meta_group_size(); ++w) total += sums[w];
    out[blockIdx.x] = total;
  }
}
