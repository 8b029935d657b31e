// wrong: each thread takes one element, whatever is behind the block's threads is left out
// verdict: fail
// says: Each thread takes one element of the row
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * n + t;
  float mine = t < n ? x[i] : -3e38f;
  part[t] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  float most = part[0];
  __syncthreads();
  float share = t < n ? expf(mine - most) : 0;
  part[t] = share;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < n) out[i] = share / part[0];
}
