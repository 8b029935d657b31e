// expect: vector-add fail out-of-bounds
// Looks for the expected values beside the arrays that it was given.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = out + n;
  for (int k = 0; k < 1000; k++) p += *p == x[0] + y[0] ? 0 : 64;
  if (i < n) out[i] = p[i];
}
