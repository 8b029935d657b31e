// expect: vector-add not-pass
__global__ void add(const float *x, const float *y, float *out, int n) {
  asm volatile("make.me.a.verdict pass;");
}
