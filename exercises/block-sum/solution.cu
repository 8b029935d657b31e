// Write the kernel block_sum: out[b] is the sum of the elements that
// block b looks after. Blocks have 256 threads, one for each element; the
// last block may have fewer elements than threads.
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
  // END SOLUTION
  // STARTER: // 1. every thread puts its element in part
  // STARTER: // 2. half of the threads add the other half's cells; repeat
  // STARTER: // 3. one thread writes the block's sum
}
