// right: three desks, two tiles on their way, copies by cooperative groups
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[3][256];
  cg::thread_block block = cg::this_thread_block();
  int size = block.size(), tiles = (n + size - 1) / size;
  int i = blockIdx.x * size + block.thread_rank();
  int mine = i < n ? x[i] : 0, sum = 0;
  for (int tile = 0; tile < 2 && tile < tiles; tile++)
    cg::memcpy_async(block, desk[tile], x + tile * size,
                     sizeof(int) * min(size, n - tile * size));
  for (int tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles)
      cg::wait_prior<1>(block);
    else
      cg::wait(block);
    int next = tile + 2;
    if (next < tiles)
      cg::memcpy_async(block, desk[next % 3], x + next * size,
                       sizeof(int) * min(size, n - next * size));
    int length = min(size, n - tile * size);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[tile % 3][k]);
  }
  if (i < n) out[i] = sum;
}
