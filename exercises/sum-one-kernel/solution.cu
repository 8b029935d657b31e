// Thread 0 gets the sum of the values of all threads of its block.
__device__ int sum_of_block(int value) {
  __shared__ int part[32];
  int t = threadIdx.x;
  for (int far = 16; far > 0; far /= 2)
    value += __shfl_down_sync(0xffffffff, value, far);
  __syncthreads();
  if (t % 32 == 0) part[t / 32] = value;
  __syncthreads();
  value = t < blockDim.x / 32 ? part[t] : 0;
  for (int far = 16; t < 32 && far > 0; far /= 2)
    value += __shfl_down_sync(0xffffffff, value, far);
  return value;
}

// Write the kernel sum_one_kernel: parts[b] is the sum of the elements of block
// b, one for each thread, and total[0] the sum of all parts, in one launch.
// done is 0 before the launch, and is to be 0 again afterwards. Blocks have a
// multiple of 32 threads; the last block may have fewer elements.
__global__ void sum_one_kernel(const int *x, int *parts, int *total, int *done,
                               int n) {
  // BEGIN SOLUTION
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int sum = sum_of_block(i < n ? x[i] : 0);
  if (t == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    sum = 0;
    for (int b = t; b < gridDim.x; b += blockDim.x) sum += parts[b];
    sum = sum_of_block(sum);
    if (t == 0) {
      total[0] = sum;
      done[0] = 0;
    }
  }
  // END SOLUTION
  // STARTER: int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // STARTER: int sum = sum_of_block(i < n ? x[i] : 0);
  // STARTER: if (t == 0) parts[blockIdx.x] = sum;
}
