// wrong: in the last block the cells behind x's end are never set to 0
// verdict: fail
// says: Nothing wrote this cell before it was read
#define RADIUS 4
__global__ void nine(const float *x, float *out, int n) {
  __shared__ float desk[256 + 2 * RADIUS];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) desk[RADIUS + t] = x[i];
  if (t < RADIUS) {
    desk[t] = i - RADIUS >= 0 ? x[i - RADIUS] : 0;
    int right = i + blockDim.x;
    desk[RADIUS + t + blockDim.x] = right < n ? x[right] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += desk[t + k];
  if (i < n) out[i] = sum;
}
