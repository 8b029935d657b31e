// right: the threads that found somebody take their places on the list together
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int place_on(int *found) {
  cg::coalesced_group group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(found, (int)group.size());
  return group.shfl(first, 0) + group.thread_rank();
}

__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int u = front[i];
  for (int k = start[u], end = start[u + 1]; k < end; k++) {
    const int v = to[k];
    int seen = atomicCAS(&level[v], 1000000, now + 1);
    if (seen <= now) continue;
    int other = atomicAdd(&parent[v], 0);
    while (u < other) {
      int old = atomicCAS(&parent[v], other, u);
      if (old == other) break;
      other = old;
    }
    if (seen == 1000000) next[place_on(found)] = v;
  }
}
