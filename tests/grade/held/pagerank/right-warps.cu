// right: what is lost is added up by the warp first
__global__ void give(const float *rank, const int *links, float *share, float *lost, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  float gone = 0;
  if (v < n) {
    const int count = links[v];
    if (count) share[v] = rank[v] / count;
    else gone = rank[v];
  }
  for (int far = 16; far; far >>= 1) gone += __shfl_down_sync(~0u, gone, far);
  if (threadIdx.x % 32 == 0 && gone != 0) atomicAdd(lost, gone);
}

__global__ void click(const int *start, const int *from, const float *share, const float *lost, float *rank, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0;
  for (const int *p = from + start[v], *end = from + start[v + 1]; p < end; p++) sum += __ldg(share + *p);
  rank[v] = fmaf(0.85f, sum + *lost / n, 0.15f);
}
