// wrong: the block's tally is never set to 0 before it is counted up
// verdict: fail
// says: shared memory start with whatever was there
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  __shared__ int local[256];
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += stride)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    atomicAdd(&bins[b], local[b]);
}
