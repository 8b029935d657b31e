// One template for two kernels: horner<T> computes c[0] + c[1] x + c[2] x x + ...
// (count numbers in c) by Horner's rule, from the last to the first, in the type
// T. The two kernels below call it; write the template.
// BEGIN SOLUTION
template <typename T>
__device__ T horner(const T *c, int count, T x) {
  T sum = 0;
  for (int k = count - 1; k >= 0; k--) sum = sum * x + c[k];
  return sum;
}
// END SOLUTION
// STARTER: __device__ float horner(const float *c, int count, float x) {
// STARTER:   return 0;
// STARTER: }
// STARTER: __device__ double horner(const double *c, int count, double x) {
// STARTER:   return 0;
// STARTER: }

extern "C" __global__ void polynomial(const float *c, const double *d, int count,
                                      const float *x, float *out, double *fine,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = horner(c, count, x[i]);
  fine[i] = horner(d, count, (double)x[i]);
}
