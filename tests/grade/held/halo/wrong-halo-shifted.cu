// wrong: the right halo is fetched from one element too far to the right
// verdict: fail
// says: The right halo is taken from one element too far on
#define RADIUS 4
__global__ void nine(const float *x, float *out, int n) {
  __shared__ float desk[256 + 2 * RADIUS];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int last = (blockIdx.x + 1) * blockDim.x;
  desk[RADIUS + t] = i < n ? x[i] : 0;
  if (t < RADIUS) {
    desk[t] = i < RADIUS ? 0 : x[i - RADIUS];
    int far = last + t + 1;
    desk[RADIUS + blockDim.x + t] = far < n ? x[far] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += desk[t + k];
  if (i < n) out[i] = sum;
}
