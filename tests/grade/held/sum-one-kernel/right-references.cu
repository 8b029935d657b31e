// right: cuda::atomic_ref with acquire and release in place of fences, all warps read the parts
#include <cuda/atomic>

template <int WARPS>
struct block_sum {
  int warp[WARPS];
  __device__ int operator()(int v) {
    for (int far = 1; far < 32; far *= 2) v += __shfl_xor_sync(~0u, v, far);
    warp[threadIdx.x / 32] = v;
    __syncthreads();
    int all = 0;
    for (int w = 0; w < blockDim.x / 32; w++) all += warp[w];
    __syncthreads();
    return all;
  }
};

__global__ void sum_one_kernel(const int *x, int *parts, int *total, int *done, int n) {
  __shared__ block_sum<32> sum;
  __shared__ int before;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int part = sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part;
    cuda::atomic_ref<int, cuda::thread_scope_device> ticks(*done);
    before = ticks.fetch_add(1, cuda::memory_order_acq_rel);
  }
  __syncthreads();
  if (before + 1 < gridDim.x) return;
  int mine = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) mine += parts[b];
  mine = sum(mine);
  if (threadIdx.x == 0) {
    *total = mine;
    *done = 0;
  }
}
