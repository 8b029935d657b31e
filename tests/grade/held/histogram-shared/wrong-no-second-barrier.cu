// wrong: no barrier after counting: a thread adds its bins to the global ones while others still count
// verdict: fail
// says: before all threads of the block have counted
// only says: a plain read beside atomics
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  __shared__ int tally[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) tally[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&tally[x[i]], 1);
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    atomicAdd(&bins[b], tally[b]);
}
