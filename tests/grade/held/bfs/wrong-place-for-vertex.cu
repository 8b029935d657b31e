// wrong: the parent is the place in front, not the vertex that stands there
// verdict: fail
// only says: the result depends on which thread comes first
__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int k = start[front[i]]; k < start[front[i] + 1]; k++) {
    int v = to[k];
    int old = atomicCAS(&level[v], 1000000, now + 1);
    if (old == 1000000) next[atomicAdd(found, 1)] = v;
    if (old >= now + 1) atomicMin(&parent[v], i);
  }
}
