// wrong: the parent is whoever came first, not the one with the smallest number
// verdict: fail
// says: the result depends on which thread comes first
__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int u = front[i];
  for (int k = start[u]; k < start[u + 1]; k++) {
    int v = to[k];
    if (atomicCAS(&level[v], 1000000, now + 1) == 1000000) {
      parent[v] = u;
      next[atomicAdd(found, 1)] = v;
    }
  }
}
