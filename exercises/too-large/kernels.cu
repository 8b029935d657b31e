// SPDX-License-Identifier: Apache-2.0
__global__ void gather(const float *points, const float *centres, float *sums,
                       int *counts, int n, int d, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int nearest = 0;
  float least = INFINITY;
  for (int c = 0; c < k; c++) {
    float distance = 0;
    for (int j = 0; j < d; j++) {
      float off = points[i * d + j] - centres[c * d + j];
      distance += off * off;
    }
    if (distance < least) least = distance, nearest = c;
  }
  for (int j = 0; j < d; j++)
    atomicAdd(&sums[nearest * d + j], points[i * d + j]);
  atomicAdd(&counts[nearest], 1);
}
