// right: cooperative groups: a tile of 32 votes
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void count_if(const float *x, float limit, int *counts, int n) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : limit;
  int count = __popc(warp.ballot(v > limit));
  if (warp.thread_rank() == 0 && i < n) counts[i / warp.size()] = count;
}
