// out[i] is to be the sum over k, from 0 to degree, of c[k] * t[k],
// where t[0] is 1, t[1] is x[i], and (Chebyshev's polynomials)
// t[k] = 2 * x[i] * t[k - 1] - t[k - 2]. degree is at most 31. series
// is right, and its array t lies in local memory. Make it do without.
__global__ void series(const float *x, const float *c, float *out, int n,
                       int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // BEGIN SOLUTION
  // Two of the 32 are alive at a time. What is left costs a load of
  // c[k] a round, the same for the whole warp; constant memory would be
  // its place.
  float v = x[i], before = v, now = 1, sum = 0;
  for (int k = 0; k <= degree; k++) {
    sum += c[k] * now;
    float next = 2 * v * now - before;
    before = now;
    now = next;
  }
  out[i] = sum;
  // END SOLUTION
  // STARTER: float t[32];
  // STARTER: t[0] = 1;
  // STARTER: t[1] = x[i];
  // STARTER: for (int k = 2; k <= degree; k++)
  // STARTER:   t[k] = 2 * x[i] * t[k - 1] - t[k - 2];
  // STARTER: float sum = 0;
  // STARTER: for (int k = 0; k <= degree; k++) sum += c[k] * t[k];
  // STARTER: out[i] = sum;
}
