// expect: vector-add crash trap
__global__ void add(const float *x, const float *y, float *out, int n) {
  __trap();
}
