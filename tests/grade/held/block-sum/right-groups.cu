// right: cooperative groups: a tile of 32 adds with shuffles, one value a tile in shared memory
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float warps[8];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  float v = i < n ? x[i] : 0.0f;
  v = cg::reduce(tile, v, cg::plus<float>());
  if (tile.thread_rank() == 0) warps[tile.meta_group_rank()] = v;
  cg::sync(block);
  if (block.thread_rank() == 0) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += warps[k];
    out[block.group_index().x] = sum;
  }
}
