// expect: last-warp
// Through a volatile pointer, and with the barrier of the warp all the same.
__global__ void last_warp(const float *x, float *out) {
  __shared__ float part[512];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int far = blockDim.x / 2; far > 16; far /= 2) {
    if (t < far) part[t] += part[t + far];
    __syncthreads();
  }
  if (t >= 32) return;
  volatile float *p = part;
  for (int far = 16; far > 0; far /= 2) {
    float own = p[t] + p[t + far];
    __syncwarp();
    p[t] = own;
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = p[0];
}
