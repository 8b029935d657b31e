// right: one walk with running mean and sum of squares, joined by warps and then by the desk
__device__ void join(float &n, float &mean, float &m2, float on, float omean, float om2) {
  const float all = n + on;
  if (all == 0) return;
  const float apart = omean - mean;
  mean += apart * on / all;
  m2 += om2 + apart * apart * n * on / all;
  n = all;
}
__global__ void layer_norm(const float *x, const float *gain, const float *bias, float *out, float small, int n) {
  __shared__ float desk[3][8];
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  const int t = threadIdx.x;
  float count = 0, mean = 0, m2 = 0;
  for (int c = t; c < n; c += blockDim.x) {
    const float v = x[c], apart = v - mean;
    count += 1;
    mean += apart / count;
    m2 += apart * (v - mean);
  }
  for (int far = 16; far; far /= 2) {
    const float on = __shfl_xor_sync(~0u, count, far), om = __shfl_xor_sync(~0u, mean, far),
                o2 = __shfl_xor_sync(~0u, m2, far);
    join(count, mean, m2, on, om, o2);
  }
  if (t % 32 == 0) desk[0][t / 32] = count, desk[1][t / 32] = mean, desk[2][t / 32] = m2;
  __syncthreads();
  count = desk[0][0], mean = desk[1][0], m2 = desk[2][0];
  for (int w = 1; w < blockDim.x / 32; w++) join(count, mean, m2, desk[0][w], desk[1][w], desk[2][w]);
  const float by = 1 / sqrtf(m2 / n + small);
  for (int c = t; c < n; c += blockDim.x) out[c] = fmaf((x[c] - mean) * by, gain[c], bias[c]);
}
