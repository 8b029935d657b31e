-- SPDX-License-Identifier: Apache-2.0
-- Groups as arguments: one function sums over any tile of a block.
local t = ...
local m = t:module([==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename Group>
__device__ int tile_sum(Group g, int v) {
  for (int d = g.size() / 2; d > 0; d /= 2) v += g.shfl_down(v, d);
  return v;
}
template <int SIZE>
__global__ void sums(const int *x, int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<SIZE>(block);
  int v = x[blockIdx.x * block.size() + block.thread_rank()];
  v = tile_sum(tile, v);
  if (tile.thread_rank() == 0)
    out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = v;
}]==], {instantiate = {"sums<32>", "sums<8>", "sums<2>"}})
local x = t:ints(192, -100, 100)
local v = t.values(x)
for _, size in ipairs{32, 8, 2} do
  local out = np.zeros(192 // size, "i32")
  m[("sums<%d>"):format(size)][{2, 96}](x, out)
  local want = t.fill(192 // size, 0)
  for i = 0, 191 do want[i // size] = want[i // size] + v[i] end
  t:same("tiles of " .. size, out, want)
end
