// expect: vector-add compile-error signature has 3 parameters and must have 4
__global__ void add(const float *x, const float *y, float *out) {}
