// right: Blelloch's walk up and down a tree, of any multiple of 32 threads
__global__ void scan_block(const int *x, int *out, int n) {
  __shared__ int tree[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int own = i < n ? x[i] : 0;
  for (int k = t; k < 1024; k += blockDim.x) tree[k] = 0;
  __syncthreads();
  tree[t] = own;
  for (int d = 1; d < 1024; d *= 2) {
    __syncthreads();
    for (int k = 2 * d * (t + 1) - 1; k < 1024; k += 2 * d * blockDim.x)
      tree[k] += tree[k - d];
  }
  __syncthreads();
  if (t == 0) tree[1023] = 0;
  for (int d = 512; d > 0; d /= 2) {
    __syncthreads();
    for (int k = 2 * d * (t + 1) - 1; k < 1024; k += 2 * d * blockDim.x) {
      int left = tree[k - d];
      tree[k - d] = tree[k];
      tree[k] += left;
    }
  }
  __syncthreads();
  if (i < n) out[i] = tree[t] + own;
}
