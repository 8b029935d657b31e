// right: one instruction adds up the warp
__global__ void warp_sum(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = __reduce_add_sync(~0u, i < n ? x[i] : 0);
  if (threadIdx.x % 32 == 0 && i < n) out[i >> 5] = sum;
}
