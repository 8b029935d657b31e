// right: the fast sine and cosine apart, two arrays on the desk, frequencies a grid apart
__device__ float part_of_wave(float yc, float ys, float cc, float ss, float cs) {
  float phase = 0.5f * atan2f(2 * cs, cc - ss);
  float s, c;
  sincosf(phase, &s, &c);
  float cross = 2 * c * s * cs;
  float along = c * yc + s * ys, across = c * ys - s * yc;
  return along * along / (c * c * cc + cross + s * s * ss) + across * across / (c * c * ss - cross + s * s * cc);
}
__global__ void ladder(const float *x, const float *y, const float *freqs, float *power, int n, int m, float yy) {
  __shared__ float at[256], value[256];
  const int t = threadIdx.x, width = blockDim.x, all = gridDim.x * width;
  for (int first = blockIdx.x * width; first < m; first += 4 * all) {
    float f[4], yc[4], ys[4], cc[4], cs[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int i = first + k * all + t;
      f[k] = i < m ? __ldg(freqs + i) : 1.0f;
      yc[k] = ys[k] = cc[k] = cs[k] = 0;
    }
    for (int from = 0; from < n; from += width) {
      __syncthreads();
      if (from + t < n) at[t] = x[from + t], value[t] = y[from + t];
      __syncthreads();
      const int count = min(width, n - from);
      for (int j = 0; j < count; j++) {
        const float when = at[j], v = value[j];
#pragma unroll
        for (int k = 0; k < 4; k++) {
          const float s = __sinf(f[k] * when), c = __cosf(f[k] * when);
          yc[k] = fmaf(v, c, yc[k]);
          ys[k] = fmaf(v, s, ys[k]);
          cc[k] = fmaf(c, c, cc[k]);
          cs[k] = fmaf(c, s, cs[k]);
        }
      }
    }
    for (int k = 0; k < 4; k++) {
      const int i = first + k * all + t;
      if (i < m) power[i] = part_of_wave(yc[k], ys[k], cc[k], n - cc[k], cs[k]) / yy;
    }
  }
}
