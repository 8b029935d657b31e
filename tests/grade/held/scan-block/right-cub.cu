// right: cub scans a warp, and the warps before add up in one instruction
#include <cub/block/block_scan.cuh>
__global__ void scan_block(const int *x, int *out, int n) {
  using scan = cub::WarpScan<int>;
  __shared__ scan::TempStorage room[32];
  __shared__ int last[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum;
  scan(room[t / 32]).InclusiveSum(i < n ? x[i] : 0, sum);
  if (t % 32 == 31) last[t / 32] = sum;
  __syncthreads();
  int before = t % 32 < t / 32 ? last[t % 32] : 0;
  before = __reduce_add_sync(~0u, before);
  if (i < n) out[i] = sum + before;
}
