// wrong: the exclusive scan, x[i] itself is not in out[i]
// verdict: fail
// says: This is the exclusive scan
__global__ void scan_block(const int *x, int *out, int n) {
  __shared__ int part[1024];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n && t > 0 ? x[i - 1] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int other = 0;
    if (t >= step) other = part[t - step];
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
}
