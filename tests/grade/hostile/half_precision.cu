// expect: vector-add fail wrong-result
#include <cuda_fp16.h>
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(__float2half(x[i])) + y[i];
}
