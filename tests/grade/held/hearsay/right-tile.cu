// right: a tile of a cooperative group, strides of the grid over rows, and lanes that know nobody are passed over
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Voice {
  float most, sum, all;
};
__device__ Voice both(Voice a, Voice b) {
  if (b.sum == 0) return a;
  if (a.sum == 0) return b;
  if (b.most > a.most) {
    const Voice c = a;
    a = b;
    b = c;
  }
  const float less = expf(b.most - a.most);
  return {a.most, fmaf(b.sum, less, a.sum), fmaf(b.all, less, a.all)};
}
__global__ void hearsay(const int *start, const int *column, const float *score, const float *x, float *heard,
                        int rows) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int warps = blockDim.x / 32;
  for (int r = blockIdx.x * warps + threadIdx.x / 32; r < rows; r += gridDim.x * warps) {
    const int end = __ldg(start + r + 1);
    Voice v = {0, 0, 0};
    for (int k = __ldg(start + r) + (int)tile.thread_rank(); k < end; k += 32) {
      const Voice one = {score[k], 1, x[column[k]]};
      v = both(v, one);
    }
    for (int far = 16; far > 0; far /= 2) {
      const Voice other = {tile.shfl_down(v.most, far), tile.shfl_down(v.sum, far), tile.shfl_down(v.all, far)};
      v = both(v, other);
    }
    if (tile.thread_rank() == 0) heard[r] = v.sum == 0 ? 0.0f : v.all / v.sum;
  }
}
