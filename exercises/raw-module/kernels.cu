// SPDX-License-Identifier: Apache-2.0
extern "C" {
__global__ void farthest_parts(int n, const float *x, float *parts) {
  __shared__ float part[128];
  int t = threadIdx.x;
  float far = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
    far = fmaxf(far, fabsf(x[i]));
  part[t] = far;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  if (t == 0) parts[blockIdx.x] = part[0];
}
__global__ void shrink(const float *by, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] /= *by;
}
}
