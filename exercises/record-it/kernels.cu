// SPDX-License-Identifier: Apache-2.0
// A ring of n numbers below 1000; each is mixed with its right neighbour.
__global__ void mix(const int *from, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = (5 * from[i] + from[(i + 1) % n]) % 1000;
}
