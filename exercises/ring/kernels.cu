// SPDX-License-Identifier: Apache-2.0
__global__ void hand_on(const float *piece, float *to, int *sent, int *got,
                        int n, int is_added) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = is_added ? to[i] + piece[i] : piece[i];
  if (i == 0) {
    *sent += n;
    *got += n;
  }
}
