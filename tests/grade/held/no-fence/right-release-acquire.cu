// right: the tick is release and acquire in one, by cuda::atomic_ref
#include <cuda/atomic>

__global__ void top_of_all(const int *x, int *tops, int *top, int *done) {
  int largest = __reduce_max_sync(~0u, x[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x != 0) return;
  tops[blockIdx.x] = largest;
  cuda::atomic_ref<int, cuda::thread_scope_device> ticks(*done);
  if (ticks.fetch_add(1, cuda::std::memory_order_acq_rel) + 1 < gridDim.x)
    return;
  int all = tops[0];
  for (int b = 1; b < gridDim.x; b++) all = max(all, tops[b]);
  *top = all;
}
