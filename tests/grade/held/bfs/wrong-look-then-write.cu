// wrong: level is looked at and then written, so two threads find the same vertex
// verdict: fail
// only says: The indices of next go from 0 to 40
// says: atomicCAS(&level[v], 1000000, now + 1) does both in one
__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int u = front[i];
  for (int k = start[u]; k < start[u + 1]; k++) {
    int v = to[k];
    if (level[v] == 1000000) {
      level[v] = now + 1;
      next[atomicAdd(found, 1)] = v;
    }
    if (level[v] == now + 1) atomicMin(&parent[v], u);
  }
}
