// Breadth-first search as on the page before, and from where everybody was found.
// The links of vertex v are to[start[v]], ..., to[start[v + 1] - 1].
//
// one_step takes the `count` vertices of front, which are `now` steps away from
// vertex 0, one thread each. Whoever they link to and nobody had found yet
// (level is 1000000) gets level now + 1, and a place on the list next, once;
// found counts them. parent of a new vertex is the vertex of front that links to
// it; where several do, the one with the smallest number. parent is 1000000
// before.
__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int v = front[i];
  for (int k = start[v]; k < start[v + 1]; k++) {
    int before = atomicMin(&level[to[k]], now + 1);
    if (before == 1000000) next[atomicAdd(found, 1)] = to[k];
    if (before > now) atomicMin(&parent[to[k]], v);
  }
  // END SOLUTION
}
