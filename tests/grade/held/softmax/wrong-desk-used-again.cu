// wrong: no barrier between reading the maximum in part[0] and writing sums into part
// verdict: fail
// says: A barrier is missing between line 16 and line 19
__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  const float *row = x + blockIdx.x * n;
  float most = -3.4e38f;
  for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  part[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += expf(row[i] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = expf(row[i] - most) / part[0];
}
