// A macro for __global__, a namespace, #if around functions, a launcher that
// another file would call, names that the kernel has as well.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define KERNEL __global__ void
#define BLOCK  256

int n = 1000;
static float x[1000], y[1000];

namespace host {
float *copy_of(const float *from, int count) {
  float *to = (float *)malloc(count * sizeof(float));
  for (int i = 0; i < count; i++)
    to[i] = from[i]; // "}" and '{' and )
  return to;
}
} // namespace host

KERNEL add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}

#if defined(TIMED)
static double seconds() { return 0; }
#else
static double seconds() { return 1; }
#endif

extern "C" void run(float *out, cudaStream_t stream) {
  dim3 grid((n + BLOCK - 1) / BLOCK), block(BLOCK);
  add<<<grid, block, 0, stream>>>(x, y, out, n);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess)
    fprintf(stderr, "%s\n", cudaGetErrorString(err));
}

int main(void) {
  float *out;
  cudaMallocManaged(&out, n * sizeof *out);
  run(out, 0);
  cudaDeviceSynchronize();
  printf("%f %f\n", out[0], seconds());
  return cudaFree(out) != cudaSuccess;
}
