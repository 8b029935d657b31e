// wrong: the samples are counted up to m, which is the number of frequencies
// verdict: fail
// says: The guard compares with m
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
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m;
       i += gridDim.x * blockDim.x) {
    float yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;
    for (int j = 0; j < m; j++) {
      float c = cosf(freqs[i] * x[j]);
      float s = sinf(freqs[i] * x[j]);
      yc += y[j] * c;
      ys += y[j] * s;
      cc += c * c;
      ss += s * s;
      cs += c * s;
    }
    power[i] = part_of_wave(yc, ys, cc, ss, cs) / yy;
  }
}
