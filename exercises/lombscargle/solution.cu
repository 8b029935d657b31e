// How much of a wave of each frequency is in n uneven samples (x[j], y[j])?
// power[i] is that of freqs[i], for m frequencies: sums over all samples of
//   y cos, y sin, cos cos, sin sin and cos sin of the angle freqs[i] * x[j],
// given to part_of_wave, divided by yy, the sum of y[j] * y[j]. A thread takes
// frequencies a whole grid apart. All in float.
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
  // BEGIN SOLUTION
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    float freq = freqs[i], yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;
    for (int j = 0; j < n; j++) {
      float c = cosf(freq * x[j]), s = sinf(freq * x[j]);
      yc += y[j] * c;
      ys += y[j] * s;
      cc += c * c;
      ss += s * s;
      cs += c * s;
    }
    // One store for n samples: the kernel waits for sines, not for memory.
    power[i] = part_of_wave(yc, ys, cc, ss, cs) / yy;
  }
  // END SOLUTION
}
