// right: int4 loads with the rest by single ones, and a tree over the block's threads
__global__ void sum(const int *__restrict__ x, int *__restrict__ total, int n) {
  __shared__ int tree[1024];
  const int t = threadIdx.x;
  const int first = blockIdx.x * blockDim.x + t, threads = gridDim.x * blockDim.x;
  const int fours = n / 4;
  int mine = 0;
  for (int i = first; i < fours; i += threads) {
    int4 v = reinterpret_cast<const int4 *>(x)[i];
    mine += (v.x + v.y) + (v.z + v.w);
  }
  for (int i = 4 * fours + first; i < n; i += threads) mine += __ldg(x + i);
  tree[t] = mine;
  for (int width = blockDim.x; width > 1;) {
    int half = (width + 1) / 2;
    __syncthreads();
    if (t + half < width) tree[t] += tree[t + half];
    width = half;
  }
  if (t == 0) atomicAdd(total, tree[0]);
}
