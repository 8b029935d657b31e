// wrong: each thread's sum begins with 1
// verdict: fail
// says: the sum of each thread begins with 1
__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float part[1024];
  const int t = threadIdx.x;
  const float *u = x + (size_t)blockIdx.x * columns, *v = y + (size_t)blockIdx.x * columns;
  float sum = 1.0f;
  for (int c = t; c < columns; c += blockDim.x) sum = fmaf(u[c], v[c], sum);
  for (int far = 1; far < 32; far <<= 1) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < blockDim.x / 32 ? part[t] : 0.0f;
  for (int far = 1; far < 32; far <<= 1) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  if (t == 0) out[blockIdx.x] = sum;
}
