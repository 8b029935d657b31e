// Write the kernel sum: total[0] grows by the sum of all n elements of x. The
// grid may have fewer threads than there are elements, or more. Each block adds
// up its share first and then goes to total once. Blocks have a multiple of 32
// threads, up to 1024.
__global__ void sum(const int *x, int *total, int n) {
  // BEGIN SOLUTION
  __shared__ int part[32];
  int t = threadIdx.x, stride = gridDim.x * blockDim.x;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride) sum += x[i];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) atomicAdd(total, sum);
  }
  // END SOLUTION
}
