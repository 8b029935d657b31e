// wrong: the loop goes on while s >= 0: half of 0 is 0, so it never ends
// verdict: timeout
// says: does a loop's condition never become false
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = (i < n) ? x[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
