// right: the samples go by way of shared memory, the sums are a struct
__device__ float part_of_wave(float yc, float ys, float cc, float ss,
                              float cs) {
  float phase = 0.5f * atan2f(2 * cs, cc - ss);
  float c = cosf(phase), s = sinf(phase);
  float cross = 2 * c * s * cs;
  float along = c * yc + s * ys, across = c * ys - s * yc;
  return along * along / (c * c * cc + cross + s * s * ss) +
         across * across / (c * c * ss - cross + s * s * cc);
}

struct Sums {
  float yc, ys, cc, ss, cs;
  __device__ void add(float angle, float y) {
    float s, c;
    sincosf(angle, &s, &c);
    yc = fmaf(y, c, yc);
    ys = fmaf(y, s, ys);
    cc = fmaf(c, c, cc);
    ss = fmaf(s, s, ss);
    cs = fmaf(c, s, cs);
  }
};

__global__ void lombscargle(const float *x, const float *y, const float *freqs,
                            float *power, int n, int m, float yy) {
  __shared__ float2 desk[64];
  int stride = gridDim.x * blockDim.x;
  int rounds = (m + stride - 1) / stride;
  for (int round = 0; round < rounds; round++) {
    int i = round * stride + blockIdx.x * blockDim.x + threadIdx.x;
    float freq = i < m ? freqs[i] : 0.0f;
    Sums sums = {};
    for (int first = 0; first < n; first += 64) {
      int length = min(64, n - first);
      __syncthreads();
      for (int k = threadIdx.x; k < length; k += blockDim.x)
        desk[k] = make_float2(x[first + k], y[first + k]);
      __syncthreads();
      for (int k = 0; k < length; k++) sums.add(freq * desk[k].x, desk[k].y);
    }
    if (i < m)
      power[i] =
          part_of_wave(sums.yc, sums.ys, sums.cc, sums.ss, sums.cs) / yy;
  }
}
