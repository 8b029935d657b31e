// expect: vector-add fail out-of-bounds
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (long k = -64; k < 64; k++) {
    out[k * 1048576 + i] = 1;
    *(float *)(k * 4096 + 16 * i) = 2;
  }
}
