// softmax is right and fetches every row three times: for the maximum, for the sum
// and for the quotients. Make maximum and sum come out of one walk: a thread that
// meets a new maximum multiplies its sum by exp(old maximum - new one). Block r
// does row r, with a power of two of threads, 32 to 256.
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  // BEGIN SOLUTION
  __shared__ float sums[256];
  float most = -3e38f, sum = 0;
  for (int i = t; i < n; i += blockDim.x) {
    float v = x[i], next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  part[t] = most;
  sums[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      float next = fmaxf(part[t], part[t + half]);
      sums[t] = sums[t] * expf(part[t] - next) +
                sums[t + half] * expf(part[t + half] - next);
      part[t] = next;
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    out[i] = expf(x[i] - part[0]) / sums[0];
  // END SOLUTION
  // STARTER: float most = -3e38f, sum = 0;
  // STARTER: for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
  // STARTER: part[t] = most;
  // STARTER: __syncthreads();
  // STARTER: for (int half = blockDim.x / 2; half > 0; half /= 2) {
  // STARTER:   if (t < half) part[t] = fmaxf(part[t], part[t + half]);
  // STARTER:   __syncthreads();
  // STARTER: }
  // STARTER: most = part[0];
  // STARTER: __syncthreads();
  // STARTER: for (int i = t; i < n; i += blockDim.x) sum += expf(x[i] - most);
  // STARTER: part[t] = sum;
  // STARTER: __syncthreads();
  // STARTER: for (int half = blockDim.x / 2; half > 0; half /= 2) {
  // STARTER:   if (t < half) part[t] += part[t + half];
  // STARTER:   __syncthreads();
  // STARTER: }
  // STARTER: for (int i = t; i < n; i += blockDim.x)
  // STARTER:   out[i] = expf(x[i] - most) / part[0];
}
