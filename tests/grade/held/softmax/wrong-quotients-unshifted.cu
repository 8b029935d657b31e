// wrong: the maximum is taken off in the sum, and forgotten in the quotients
// verdict: fail
// says: the quotients are of exp(x)
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float desk[256];
  const int t = threadIdx.x;
  const float *row = x + (size_t)blockIdx.x * n;
  float top = -INFINITY;
  for (int c = t; c < n; c += blockDim.x) top = max(top, row[c]);
  desk[t] = top;
  for (int far = blockDim.x >> 1; far; far >>= 1) {
    __syncthreads();
    if (t < far) desk[t] = max(desk[t], desk[t + far]);
  }
  __syncthreads();
  top = desk[0];
  __syncthreads();
  float all = 0;
  for (int c = t; c < n; c += blockDim.x) all += expf(row[c] - top);
  desk[t] = all;
  for (int far = blockDim.x >> 1; far; far >>= 1) {
    __syncthreads();
    if (t < far) desk[t] += desk[t + far];
  }
  __syncthreads();
  for (int c = t; c < n; c += blockDim.x) out[(size_t)blockIdx.x * n + c] = expf(row[c]) / desk[0];
}
