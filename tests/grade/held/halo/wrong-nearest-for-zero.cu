// wrong: beyond the ends stands x's nearest element instead of 0
// verdict: fail
// says: Beyond the ends the nearest element stands in
#define RADIUS 4
__global__ void nine(const float *x, float *out, int n) {
  __shared__ float desk[256 + 2 * RADIUS];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  for (int k = t; k < blockDim.x + 2 * RADIUS; k += blockDim.x) {
    int i = first + k - RADIUS;
    desk[k] = x[min(max(i, 0), n - 1)];
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += desk[t + k];
  if (first + t < n) out[first + t] = sum;
}
