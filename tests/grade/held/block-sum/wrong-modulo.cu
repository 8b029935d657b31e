// wrong: t % s == 0 instead of t % (2 * s) == 0: cells that were added already are added again
// verdict: fail
// says: t % s == 0 && t + s < blockDim.x holds for both
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = (i < n) ? x[i] : 0;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % s == 0 && t + s < blockDim.x) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
