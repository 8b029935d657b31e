// expect: vector-add compile-error signature expects: __global__ void add(
__global__ void sub(const float *x, const float *y, float *out, int n) {}
