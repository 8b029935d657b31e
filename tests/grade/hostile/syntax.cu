// expect: vector-add compile-error line 3 expected a ";"
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = 0 }
