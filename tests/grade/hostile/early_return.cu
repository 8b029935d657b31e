// expect: block-sum fail barrier
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) part[threadIdx.x] = 0;
  else part[threadIdx.x] = x[i];
  __syncthreads();
  if (threadIdx.x < 128) {
    part[threadIdx.x] += part[threadIdx.x + 128];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 128; k++) sum += part[k];
    out[blockIdx.x] = sum;
  }
}
