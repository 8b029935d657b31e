// right: divided by multiplying, the samples from the last to the first, sums in an array
__device__ float part_of_wave(float yc, float ys, float cc, float ss,
                              float cs) {
  float phase = 0.5f * atan2f(2 * cs, cc - ss);
  float c = cosf(phase), s = sinf(phase);
  float cross = 2 * c * s * cs;
  float along = c * yc + s * ys, across = c * ys - s * yc;
  return along * along / (c * c * cc + cross + s * s * ss) +
         across * across / (c * c * ss - cross + s * s * cc);
}

__global__ void lombscargle(const float *x, const float *y, const float *freqs,
                            float *power, int n, int m, float yy) {
  const float scale = 1 / yy;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m;
       i += gridDim.x * blockDim.x) {
    float f = freqs[i], sum[5] = {};
    for (int j = n - 1; j >= 0; j--) {
      float angle = f * x[j], c = cosf(angle), s = sinf(angle);
      sum[0] += c * y[j];
      sum[1] += s * y[j];
      sum[2] += c * c;
      sum[3] += s * s;
      sum[4] += c * s;
    }
    power[i] =
        scale * part_of_wave(sum[0], sum[1], sum[2], sum[3], sum[4]);
  }
}
