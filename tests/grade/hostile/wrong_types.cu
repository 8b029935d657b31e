// expect: vector-add compile-error signature must be "const float *"
__global__ void add(const double *x, const double *y, double *out, int n) {}
