// The periodogram of the exercise lombscargle: right, and in doubles. Climb: no
// doubles, quick sines, and four frequencies for each sample that is fetched.
// Blocks have 32 to 256 threads, and there may be fewer blocks than are needed
// for all frequencies at once.
__device__ float part_of_wave(float yc, float ys, float cc, float ss,
                              float cs) {
  float phase = 0.5f * atan2f(2 * cs, cc - ss);
  float c = cosf(phase), s = sinf(phase);
  float cross = 2 * c * s * cs;
  float along = c * yc + s * ys, across = c * ys - s * yc;
  return along * along / (c * c * cc + cross + s * s * ss) +
         across * across / (c * c * ss - cross + s * s * cc);
}

__global__ void ladder(const float *x, const float *y, const float *freqs,
                       float *power, int n, int m, float yy) {
  // BEGIN SOLUTION
  // What is left is a product, two special functions and four multiply-adds for
  // each pair. Fewer sines come from angle sums, if the frequencies are evenly
  // spaced: then one sine serves eight of them.
  __shared__ float2 sample[256];
  int t = threadIdx.x, width = blockDim.x;
  for (int first = blockIdx.x * 4 * width; first < m;
       first += gridDim.x * 4 * width) {
    float freq[4], yc[4] = {}, ys[4] = {}, cc[4] = {}, cs[4] = {};
    for (int k = 0; k < 4; k++) {
      int i = first + k * width + t;
      freq[k] = i < m ? freqs[i] : 0;
    }
    for (int from = 0; from < n; from += width) {
      __syncthreads();
      if (from + t < n) sample[t] = make_float2(x[from + t], y[from + t]);
      __syncthreads();
      int count = min(width, n - from);
      for (int j = 0; j < count; j++) {
        float2 at = sample[j];
        for (int k = 0; k < 4; k++) {
          float s, c;
          __sincosf(freq[k] * at.x, &s, &c);
          yc[k] += at.y * c;
          ys[k] += at.y * s;
          cc[k] += c * c;
          cs[k] += c * s;
        }
      }
    }
    for (int k = 0; k < 4; k++) {
      int i = first + k * width + t;
      if (i < m)
        power[i] = part_of_wave(yc[k], ys[k], cc[k], n - cc[k], cs[k]) / yy;
    }
  }
  // END SOLUTION
  // STARTER: int stride = gridDim.x * blockDim.x;
  // STARTER: int first = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: for (int i = first; i < m; i += stride) {
  // STARTER:   double freq = freqs[i], yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;
  // STARTER:   for (int j = 0; j < n; j++) {
  // STARTER:     double c = cos(freq * x[j]), s = sin(freq * x[j]);
  // STARTER:     yc += y[j] * c;
  // STARTER:     ys += y[j] * s;
  // STARTER:     cc += c * c;
  // STARTER:     ss += s * s;
  // STARTER:     cs += c * s;
  // STARTER:   }
  // STARTER:   power[i] = part_of_wave(yc, ys, cc, ss, cs) / yy;
  // STARTER: }
}
