// wrong: __syncthreads waits for the block's threads, not for the other blocks
// verdict: fail
// says: cooperative_groups::this_grid().sync() between line 15 and line 18
// says: Nothing wrote this cell before it was read
__global__ void center(const int *x, int *out, int *parts, int n) {
  __shared__ int total;
  int stride = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int sum = 0;
  for (int i = first; i < n; i += stride) sum += x[i];
  atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
  __syncthreads();
  int all = 0;
  for (int b = 0; b < gridDim.x; b++) all += parts[b];
  for (int i = first; i < n; i += stride) out[i] = x[i] - all / n;
}
