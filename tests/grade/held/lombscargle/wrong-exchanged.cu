// wrong: cos cos and sin sin are handed over in the other order
// verdict: fail
// says: part_of_wave takes cos cos before sin sin
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
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    float freq = freqs[i], yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;
    for (int j = 0; j < n; j++) {
      float s, c;
      sincosf(freq * x[j], &s, &c);
      yc += y[j] * c;
      ys += y[j] * s;
      ss += s * s;
      cc += c * c;
      cs += s * c;
    }
    power[i] = part_of_wave(yc, ys, ss, cc, cs) / yy;
  }
}
