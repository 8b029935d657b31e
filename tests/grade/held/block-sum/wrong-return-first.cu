// wrong: threads beyond n return before they have put 0 into their cell, and the others add those cells
// verdict: fail
// only says: part[255] was read here before anything wrote it
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  part[threadIdx.x] = x[i];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
