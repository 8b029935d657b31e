// extent: out[r] is the largest element of row r less its smallest. A block takes a
// row, of n elements; it has 128 threads. The kernel is right and does what a
// compiler makes of jnp.max(x, 1) - jnp.min(x, 1): one walk for the largest element
// and one for the smallest. Beat it: every element is to be read once.
__global__ void extent(const float *x, float *out, int n) {
  __shared__ float high[128], low[128];
  const float *row = x + blockIdx.x * n;
  int t = threadIdx.x;
  // BEGIN SOLUTION
  float most = -3e38f, least = 3e38f;
  for (int i = t; i < n; i += 128) {
    float v = row[i];
    most = fmaxf(most, v);
    least = fminf(least, v);
  }
  high[t] = most;
  low[t] = least;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) {
      high[t] = fmaxf(high[t], high[t + half]);
      low[t] = fminf(low[t], low[t + half]);
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = high[0] - low[0];
  // END SOLUTION
  // STARTER: high[t] = -3e38f;
  // STARTER: for (int i = t; i < n; i += 128) high[t] = fmaxf(high[t], row[i]);
  // STARTER: low[t] = 3e38f;
  // STARTER: for (int i = t; i < n; i += 128) low[t] = fminf(low[t], row[i]);
  // STARTER: __syncthreads();
  // STARTER: for (int half = 64; half > 0; half /= 2) {
  // STARTER:   if (t < half) {
  // STARTER:     high[t] = fmaxf(high[t], high[t + half]);
  // STARTER:     low[t] = fminf(low[t], low[t + half]);
  // STARTER:   }
  // STARTER:   __syncthreads();
  // STARTER: }
  // STARTER: if (t == 0) out[blockIdx.x] = high[0] - low[0];
}
