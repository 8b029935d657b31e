// wrong: threads beyond n put a half into their cell
// verdict: fail
// says: -
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = 0.5f;
  if (i < n) part[t] = x[i];
  for (int far = 1; far < 256; far *= 2) {
    __syncthreads();
    if (t % (2 * far) == 0) part[t] += part[t + far];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
