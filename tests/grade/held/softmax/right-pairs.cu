// right: maximum and sum as a pair in one walk, cooperative groups, a divided sum
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct Pair {
  float most, sum;
};

__device__ Pair join(Pair a, Pair b) {
  float most = fmaxf(a.most, b.most);
  return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

__global__ void softmax(const float *x, float *out, int n) {
  __shared__ Pair pairs[8];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const float *row = x + blockIdx.x * n;
  Pair mine = {-3e38f, 0};
  for (int i = block.thread_rank(); i < n; i += block.size())
    mine = join(mine, Pair{row[i], 1});
  float most = cg::reduce(warp, mine.most, cg::greater<float>());
  float sum =
      cg::reduce(warp, mine.sum * expf(mine.most - most), cg::plus<float>());
  if (warp.thread_rank() == 0) pairs[warp.meta_group_rank()] = {most, sum};
  block.sync();
  Pair all = pairs[0];
  for (int w = 1; w < warp.meta_group_size(); w++) all = join(all, pairs[w]);
  for (int i = block.thread_rank(); i < n; i += block.size())
    out[blockIdx.x * n + i] = expf(row[i] - all.most) / all.sum;
}
