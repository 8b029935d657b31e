// right: each warp takes every other key online, and the two are merged through shared memory
__global__ void attention(const float *q, const float *k, const float *v, float *out, int n, int d) {
  __shared__ float most_of[2], sum_of[2], part[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float *query = q + blockIdx.x * d;
  bool low = lane < d, high = lane + 32 < d;
  float q0 = low ? query[lane] : 0, q1 = high ? query[lane + 32] : 0;
  float root = sqrtf(d), most = -3e38f, sum = 0, o0 = 0, o1 = 0;
  for (int j = warp; j < n; j += 2) {
    float dot = low ? q0 * k[j * d + lane] : 0;
    if (high) dot += q1 * k[j * d + lane + 32];
    for (int far = 16; far; far /= 2) dot += __shfl_xor_sync(~0u, dot, far);
    float score = dot / root, next = fmaxf(most, score);
    float old = expf(most - next), weight = expf(score - next);
    sum = sum * old + weight;
    if (low) o0 = o0 * old + weight * v[j * d + lane];
    if (high) o1 = o1 * old + weight * v[j * d + lane + 32];
    most = next;
  }
  if (warp == 1) {
    part[lane] = o0;
    part[lane + 32] = o1;
  }
  if (lane == 0) most_of[warp] = most, sum_of[warp] = sum;
  __syncthreads();
  if (warp == 1) return;
  float both = fmaxf(most_of[0], most_of[1]);
  float a = expf(most_of[0] - both), b = expf(most_of[1] - both);
  float by = 1 / (a * sum_of[0] + b * sum_of[1]);
  if (low) out[blockIdx.x * d + lane] = (a * o0 + b * part[lane]) * by;
  if (high) out[blockIdx.x * d + lane + 32] = (a * o1 + b * part[lane + 32]) * by;
}
