// expect: vector-add not-pass
// A launch that is refused must not be graded on what lies in memory.
__global__ void add(const float *x, const float *y, float *out, int n) {
  __shared__ volatile float big[12000];
  big[threadIdx.x] = x[0];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) out[i] = big[0];
}
