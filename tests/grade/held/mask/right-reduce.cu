// right: the warp's reduction in one instruction
__global__ void warp_top(const int *x, int *top, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = __reduce_max_sync(~0u, i < n ? x[i] : (int)0x80000000);
  if (threadIdx.x % 32 == 0 && i < n) top[i / 32] = v;
}
