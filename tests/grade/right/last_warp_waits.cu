// expect: last-warp
// Each lane says in which round its cell is ready, and is waited for: an order
// between lanes without a barrier of the warp.
__global__ void last_warp(const float *x, float *out) {
  __shared__ float part[512];
  __shared__ volatile int ready[32];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  if (t < 32) ready[t] = 32;
  __syncthreads();
  for (int far = blockDim.x / 2; far > 16; far /= 2) {
    if (t < far) part[t] += part[t + far];
    __syncthreads();
  }
  if (t >= 16) return;
  for (int far = 16; far > 0 && t < far; far /= 2) {
    while (ready[t + far] > 2 * far) {}
    __threadfence_block();
    part[t] += part[t + far];
    __threadfence_block();
    ready[t] = far;
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
