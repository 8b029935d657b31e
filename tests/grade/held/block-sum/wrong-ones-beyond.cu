// wrong: threads beyond n put a 1 into their cell, which is the neutral element of products
// verdict: fail
// says: a thread without an element brings a 1
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = 1.0f;
  if (i < n) part[t] = x[i];
  for (int far = 256; far >>= 1;) {
    __syncthreads();
    if (t < far) part[t] = part[t + far] + part[t];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
