// histogram adds to bins[v], for each value v, how often it is in x. It is
// right, and every warp goes to global memory for each of its bytes. Make it
// fast: let each block count in shared memory first. Blocks have 64 to 256
// threads.
__global__ void histogram(const unsigned char *x, int *bins, int n) {
  int stride = gridDim.x * blockDim.x;
  // BEGIN SOLUTION
  __shared__ int own[256];
  for (int v = threadIdx.x; v < 256; v += blockDim.x) own[v] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&own[x[i]], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < 256; v += blockDim.x)
    atomicAdd(&bins[v], own[v]);
  // END SOLUTION
  // STARTER: for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
  // STARTER:      i += stride)
  // STARTER:   atomicAdd(&bins[x[i]], 1);
}
