// out[b] is the sum of the elements of block b, one for each thread, and this
// kernel is right. But its warps wait for each other in every round. Make it
// faster: let each warp add up its own values first, so that one barrier is
// enough. Blocks have a multiple of 32 threads, up to 1024.
__global__ void sum_shuffle(const float *x, float *out, int n) {
  // BEGIN SOLUTION
  __shared__ float part[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }
  // END SOLUTION
  // STARTER: __shared__ float part[1024];
  // STARTER: int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // STARTER: part[t] = i < n ? x[i] : 0;
  // STARTER: __syncthreads();
  // STARTER: for (int far = 512; far > 0; far /= 2) {
  // STARTER:   if (t < far && t + far < blockDim.x) part[t] += part[t + far];
  // STARTER:   __syncthreads();
  // STARTER: }
  // STARTER: if (t == 0) out[blockIdx.x] = part[0];
}
