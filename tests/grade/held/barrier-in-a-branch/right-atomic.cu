// right: the largest gap on the desk by atomicMax
__global__ void spread(const int *x, int *gaps, int n) {
  __shared__ int largest;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) largest = 0;
  __syncthreads();
  if (i + 1 < n && t + 1 < blockDim.x) atomicMax(&largest, abs(x[i] - x[i + 1]));
  __syncthreads();
  if (t == 0) gaps[blockIdx.x] = largest;
}
