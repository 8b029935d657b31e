// right: exclusive_scan of a tile
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void warp_scan(const int *x, int *out, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = cg::exclusive_scan(warp, i < n ? x[i] : 0, cg::plus<int>());
  if (i < n) out[i] = sum;
}
