// Write the kernel softmax: out[r][c] = exp(x[r][c] - M) / S, where M is the
// greatest element of row r and S the sum of exp(x[r][k] - M) over the row. Block r
// does row r, which has n elements; the number of its threads is a power of two,
// 32 to 256, and need not be n.
__global__ void softmax(const float *x, float *out, int n) {
  // BEGIN SOLUTION
  __shared__ float part[256];
  int t = threadIdx.x;
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  float most = -3e38f;
  for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
  part[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[i] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[i] = expf(x[i] - most) / part[0];
  // END SOLUTION
  // STARTER: x += blockIdx.x * n;
  // STARTER: out += blockIdx.x * n;
  // STARTER: for (int i = threadIdx.x; i < n; i += blockDim.x)
  // STARTER:   out[i] = expf(x[i]);
}
