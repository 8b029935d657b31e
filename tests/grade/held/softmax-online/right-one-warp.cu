// right: one warp keeps maximum and sum by lane and merges them by shuffles, with nothing shared
__global__ void softmax(const float *__restrict__ x, float *__restrict__ out, int n) {
  if (threadIdx.x >= 32) return;
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  float most = -3e38f, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    float v = x[i], before = most;
    most = fmaxf(most, v);
    sum = sum * expf(before - most) + expf(v - most);
  }
  for (int far = 16; far > 0; far /= 2) {
    float other = __shfl_xor_sync(0xffffffff, most, far), more = __shfl_xor_sync(0xffffffff, sum, far);
    float both = fmaxf(most, other);
    sum = sum * expf(most - both) + more * expf(other - both);
    most = both;
  }
  for (int i = threadIdx.x; i < n; i += 32) out[i] = expf(x[i] - most) / sum;
}
