// wrong: parent is also lowered for vertices that were found in earlier steps
// verdict: fail
// says: Vertices that were found long ago get new parents, from below them
__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    int u = front[i];
    for (int k = start[u]; k < start[u + 1]; k++) {
      int v = to[k];
      atomicMin(&parent[v], u);
      if (atomicCAS(&level[v], 1000000, now + 1) == 1000000) {
        int place = atomicAdd(found, 1);
        next[place] = v;
      }
    }
  }
}
