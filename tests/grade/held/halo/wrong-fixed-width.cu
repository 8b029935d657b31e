// wrong: the right halo lies behind 256 cells, whatever the block's size
// verdict: fail
// only says: Nothing wrote this cell before it was read
#define RADIUS 4
__global__ void nine(const float *x, float *out, int n) {
  __shared__ float desk[256 + 2 * RADIUS];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  desk[RADIUS + t] = i < n ? x[i] : 0;
  if (t < RADIUS) {
    desk[t] = i >= RADIUS ? x[i - RADIUS] : 0;
    desk[RADIUS + 256 + t] = i + 256 < n ? x[i + 256] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += desk[t + k];
  if (i < n) out[i] = sum;
}
