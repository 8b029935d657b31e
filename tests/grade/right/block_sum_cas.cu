// expect: block-sum
// Shuffles, then one cell that warps update by compare and swap.
__device__ void add(float *cell, float v) {
  int old = __float_as_int(*(volatile float *)cell), seen;
  do {
    seen = old;
    old =
        atomicCAS((int *)cell, seen, __float_as_int(__int_as_float(seen) + v));
  } while (old != seen);
}
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  if (!threadIdx.x)
    sum = 0;
  __syncthreads();
  for (int o = 16; o; o /= 2)
    v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0)
    add(&sum, v);
  __syncthreads();
  if (!threadIdx.x)
    out[blockIdx.x] = sum;
}
