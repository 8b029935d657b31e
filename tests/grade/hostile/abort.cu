// expect: vector-add compile-error
__device__ int big[1ul << 33] = {1};
__global__ void add(const float *x, const float *y, float *out, int n) {
  out[0] = big[n];
}
