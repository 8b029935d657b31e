// expect: vector-add not-pass
__global__ void add(const float *x, const float *y, float *out, int n) {
  volatile int big[1 << 27];
  big[n] = 1;
  out[0] = big[n / 2];
}
