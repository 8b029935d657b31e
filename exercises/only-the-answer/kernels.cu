// SPDX-License-Identifier: Apache-2.0
__global__ void count_above(const float *x, int *seen, float limit, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int i = first; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > limit) count++;
  seen[first] = count;
}
