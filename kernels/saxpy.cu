// SPDX-License-Identifier: Apache-2.0
// y = a * x + y with a grid-stride loop: right for every grid.
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = a * x[i] + y[i];
}
