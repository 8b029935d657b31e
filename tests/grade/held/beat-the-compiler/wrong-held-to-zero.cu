// wrong: the largest is held above 0 and the smallest below, at the end
// verdict: fail
// says: 0 counts as an element
__global__ void extent(const float *x, float *out, int n) {
  __shared__ float high[128], low[128];
  const float *row = x + blockIdx.x * n;
  int t = threadIdx.x;
  float most = -3e38f, least = 3e38f;
  for (int i = t; i < n; i += 128) {
    float v = row[i];
    most = fmaxf(v, most);
    least = fminf(v, least);
  }
  high[t] = most;
  low[t] = least;
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) {
      high[t] = fmaxf(high[t + half], high[t]);
      low[t] = fminf(low[t + half], low[t]);
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = fmaxf(high[0], 0) - fminf(low[0], 0);
}
