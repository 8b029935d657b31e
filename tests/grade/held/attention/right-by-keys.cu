// right: each lane has keys of its own, weights go round by shuffles, one warp and nothing shared
__device__ float greatest(float v) {
  for (int far = 16; far; far /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, far));
  return v;
}

__global__ void attention(const float *q, const float *k, const float *v, float *out, int n, int d) {
  if (threadIdx.x >= 32) return;
  const int lane = threadIdx.x, i = blockIdx.x;
  const float by = rsqrtf((float)d);
  float most = -3e38f, sum = 0, low = 0, high = 0;
  for (int first = 0; first < n; first += 32) {
    int j = first + lane;
    float score = -3e38f;
    if (j < n) {
      score = 0;
      for (int c = 0; c < d; c++) score += q[i * d + c] * k[j * d + c];
      score *= by;
    }
    float next = fmaxf(most, greatest(score)), old = expf(most - next);
    float weight = j < n ? expf(score - next) : 0;
    sum *= old, low *= old, high *= old, most = next;
    for (int l = 0; l < 32 && first + l < n; l++) {
      float w = __shfl_sync(~0u, weight, l);
      const float *row = v + (first + l) * d;
      sum += w;
      if (lane < d) low += w * row[lane];
      if (lane + 32 < d) high += w * row[lane + 32];
    }
  }
  if (lane < d) out[i * d + lane] = low / sum;
  if (lane + 32 < d) out[i * d + lane + 32] = high / sum;
}
