// right: from the end by a pointer, with fma of the type
__device__ float step(float s, float x, float c) { return fmaf(s, x, c); }
__device__ double step(double s, double x, double c) { return fma(s, x, c); }
template <class Real> __device__ Real horner(const Real *c, int count, Real x) {
  const Real *p = c + count;
  Real s = *--p;
  while (p != c) s = step(s, x, *--p);
  return s;
}

extern "C" __global__ void polynomial(const float *c, const double *d, int count, const float *x, float *out,
                                      double *fine, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = horner(c, count, x[i]);
  fine[i] = horner(d, count, (double)x[i]);
}
