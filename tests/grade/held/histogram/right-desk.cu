// right: four bytes a load, counted in shared memory first
__global__ void histogram(const unsigned char *__restrict__ x, int *bins, int n) {
  __shared__ unsigned own[256];
  for (int v = threadIdx.x; v < 256; v += blockDim.x) own[v] = 0;
  __syncthreads();
  int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  for (int i = first; i < n / 4; i += stride) {
    uchar4 v = ((const uchar4 *)x)[i];
    atomicAdd(&own[v.x], 1);
    atomicAdd(&own[v.y], 1);
    atomicAdd(&own[v.z], 1);
    atomicAdd(&own[v.w], 1);
  }
  for (int i = n / 4 * 4 + first; i < n; i += stride) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < 256; v += blockDim.x)
    if (own[v]) atomicAdd(&bins[v], (int)own[v]);
}
