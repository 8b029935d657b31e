// right: atomicMin on level says who is new, and a loop over the front
__device__ const int NOBODY = 1000000;

__global__ void one_step(const int *start, const int *to, const int *front,
                         int count, int now, int *level, int *parent,
                         int *next, int *found) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const int u = front[i], end = start[u + 1];
    for (int k = start[u]; k != end; ++k) {
      int before = atomicMin(level + to[k], now + 1);
      if (before > now) atomicMin(parent + to[k], u);
      if (before == NOBODY) *(next + atomicAdd(found, 1)) = to[k];
    }
  }
}
