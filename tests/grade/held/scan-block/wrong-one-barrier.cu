// wrong: a thread adds into its cell while its neighbour above still reads it
// verdict: fail
// says: Line 11 reads cells that other threads write in the same step
__global__ void scan_block(const int *x, int *out, int n) {
  __shared__ int part[1024];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t >= step) part[t] += part[t - step];
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
}
